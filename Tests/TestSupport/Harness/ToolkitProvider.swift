// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials

/// A running django-oauth-toolkit: a real OpenID provider with a path in its issuer, opaque access tokens, and an
/// RFC 8414 document that names more than its OpenID one. One public client `tokend` (any loopback port) and one user,
/// `alice`, whose password is `wonderland`. It rotates refresh tokens.
package final class ToolkitProvider: Sendable {
    package let issuer: String
    private let folder: String
    private let process: ChildProcess

    private init(issuer: String, folder: String, process: ChildProcess) {
        self.issuer = issuer
        self.folder = folder
        self.process = process
    }

    /// Starts it with a database in `folder`, which must exist; it answers when this returns, after some seconds.
    ///
    /// - Parameters:
    ///   - killsFamily: whether a replaced refresh token that is used again ends the whole grant.
    ///   - grace: for how many seconds a replaced refresh token may still be used.
    package static func start(in folder: String, killsFamily: Bool, grace: Int) async throws -> ToolkitProvider {
        let files = folder + "/toolkit"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        let process = try ChildProcess(
            TestVenv.program("python3"),
            [
                BuildProducts.source + "/scripts/lib/toolkit-provider", files, "reuse=\(killsFamily ? 1 : 0)",
                "grace=\(grace)",
            ],
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder]
        )
        let line = try await process.whileRunning {
            try await process.line(within: .seconds(120)) { $0.hasPrefix("issuer ") }
        }
        return ToolkitProvider(issuer: String(line.dropFirst("issuer ".count)), folder: files, process: process)
    }

    /// Signs alice in at the form, agrees on the consent page, and returns the page at the end of it all.
    package func signIn(_ url: String) async throws -> BrowserStandIn.Page {
        let browser = BrowserStandIn()
        let consent = try await browser.signIn(url)
        return try await browser.submit(consent, ["allow": "Authorize"])
    }

    /// Loses the answer of the next token request, which is carried out all the same.
    package func loseNextAnswer() throws {
        try Data().write(to: URL(filePath: folder + "/lose-answer"))
    }

    /// Refreshes that came so far: the status of each, and "lost" behind it where the answer did not arrive.
    package var refreshes: [String] { requests("/o/token/ refresh_token ") }

    /// Revocations that came so far: the status of each.
    package var revocations: [String] { requests("/o/revoke_token/ - ") }

    private func requests(_ start: String) -> [String] {
        process.output.split(separator: "\n").filter { $0.hasPrefix(start) }.map {
            $0.dropFirst(start.count).split(separator: " ").joined(separator: " ")
        }
    }

    /// Ends it and waits for the end.
    package func stop() async { await process.stop() }
}
