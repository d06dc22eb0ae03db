// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport

/// A small git server over HTTP on loopback: git's own `http-backend` behind Basic authentication, whose password must
/// be a token that the provider accepts.
struct CredentialGitServer {
    /// Where the repository `project.git` is; empty at first.
    let url: String
    /// The bare repository's folder.
    let repository: String
    private let process: ChildProcess
    private let refusedFile: String

    /// Makes the repository in the session's folder and serves it.
    static func start(_ stand: Stand) async throws -> CredentialGitServer {
        let root = stand.session.folder + "/repositories"
        let repository = root + "/project.git"
        let made = try await stand.session.run("git", ["init", "--quiet", "--bare", "-b", "main", repository])
        guard made.status == .code(0) else { throw ChildProcessError("git init: \(made.errors)") }
        _ = try await stand.session.run("git", ["-C", repository, "config", "http.receivepack", "true"])
        let refusedFile = stand.session.folder + "/refused-token"
        let process = try ChildProcess(
            "/usr/bin/python3",
            [BuildProducts.source + "/scripts/lib/git-server", root, stand.provider.origin + "/userinfo", refusedFile],
            environment: stand.session.environment
        )
        let port = try await process.line()
        return CredentialGitServer(
            url: "http://127.0.0.1:\(port)/project.git",
            repository: repository,
            process: process,
            refusedFile: refusedFile
        )
    }

    /// Refuses this token from now on, though the provider takes it.
    func refuse(_ token: String) throws {
        try Data(token.utf8).write(to: URL(filePath: refusedFile))
    }

    /// Waits until a request is in the log: `STATUS USER PATH`.
    func hasLogged(_ text: String) async throws { try await process.hasWritten(text) }

    func stop() async {
        await process.stop(grace: .seconds(2))
    }
}
