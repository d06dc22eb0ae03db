// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension Programs {
    /// A further socket in a container, whose users are others than outside: a user namespace, as a rootless container has
    /// one. Not podman itself, which may not start a container where these tests run.
    @Suite(.enabled(if: geteuid() == 0, "becoming another user takes root")) struct Container {
        private static let nobody = 65534

        /// Runs a daemon with a socket for everybody and `tokenctl token work` in a container.
        private func with(
            _ body: (_ token: (_ user: Int, _ inside: Int, _ named: String?) async throws -> ChildProcess.Finished)
                async throws -> Void
        ) async throws {
            var template = Array("/tmp/tokend-shared-XXXXXX".utf8CString)
            #expect(mkdtemp(&template) != nil)
            let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            #expect(chmod(folder, 0o755) == 0)
            // The build's own folder may be closed to others.
            try FileManager.default.copyItem(atPath: BuildProducts.program("tokenctl"), toPath: folder + "/tokenctl")
            try await Stand.with { stand in
                try await stand.signIn()
                let path = folder + "/build.sock"
                let uids = "[0, \(Self.nobody)]"
                try stand.world.writeConfiguration(
                    "{ sockets: { build: { path: \"\(path)\", accounts: [\"work\"], mode: \"0666\", uids: \(uids) } } }"
                )
                _ = try await stand.client.result("config.reload")
                try await body { user, inside, named in
                    var environment = ["PATH": "/usr/bin:/bin", "TOKEND_SOCKET": path]
                    environment["TOKEND_SOCKET_UID"] = named
                    let outside = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "bwrap"]
                    let container = [
                        "--unshare-user", "--uid", "\(inside)", "--gid", "\(inside)", "--dev-bind", "/", "/",
                    ]
                    let command = [folder + "/tokenctl", "token", "work"]
                    return try await ChildProcess.run(
                        "setpriv",
                        outside + container + command,
                        environment: environment
                    )
                }
            }
        }

        @Test func `the daemon's user has another uid in a container, and that one is named`() async throws {
            try await with { token in
                let own = try await token(0, 5000, nil)
                #expect(own.status == .code(0), "\(own)")
                let named = try await token(0, 5000, "5000")
                #expect(named.status == .code(0), "\(named)")
                let wrong = try await token(0, 5000, "0")
                #expect(wrong.status == .code(77) && wrong.output.isEmpty, "\(wrong)")
                #expect(wrong.errors.contains("TOKEND_SOCKET_UID=5000"), "\(wrong)")
            }
        }

        @Test func `a user whom a container does not know is trusted under no number`() async throws {
            try await with { token in
                for uid in [nil, "0", "\(Self.nobody)"] {
                    let refused = try await token(Self.nobody, 1234, uid)
                    #expect(refused.status == .code(77) && refused.output.isEmpty, "\(refused)")
                    #expect(refused.errors.contains("has no uid in here"), "\(refused)")
                    #expect(refused.errors.contains("--userns=keep-id"), "\(refused)")
                }
            }
        }
    }
}
