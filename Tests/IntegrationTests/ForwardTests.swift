// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// `tokenctl forward`, with a real `sshd`.
    @Suite struct Forward {
        private static let settings = "{ sockets: { build: { accounts: [\"work\"] } } }"

        @Test func `a socket is carried to another machine, and taken up again when it drops`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                try stand.world.writeConfiguration(Self.settings)
                _ = try await stand.client.result("config.reload")
                let ssh = try await LoopbackSSH(in: stand.session.folder)
                let remote = ssh.runtimeFolder + "/tokend/forward/build.sock"
                try Self.leaveDeadSocket(at: remote, below: ssh.runtimeFolder)
                let path = ssh.programs + ":" + (stand.world.environment["PATH"] ?? "")
                let tokenctl = try Tokenctl(stand.world, adding: ["PATH": path])
                    .start("forward", LoopbackSSH.host, "--socket", "build")
                _ = try await tokenctl.whileRunning {
                    try await tokenctl.talk { $0.contains("export TOKEND_SOCKET=\(remote)") }
                }
                try await Self.use(remote, of: stand)
                ssh.drop()
                _ = try await tokenctl.whileRunning { try await tokenctl.talk { $0.hasSuffix("again.") } }
                try await Self.use(remote, of: stand)
                // Its end takes ssh along, and the socket over there.
                tokenctl.signal(SIGTERM)
                #expect(try await tokenctl.exit(within: .seconds(20)) == .code(143))
            }
        }

        @Test func `what cannot be carried is said at once`() async throws {
            try await Stand.with { stand in
                let tokenctl = Tokenctl(stand.world)
                let none = try await tokenctl.run("forward", "nowhere.invalid")
                #expect(none.exitCode == 64 && none.talk.contains("there is no socket to share"))
                try stand.world.writeConfiguration(Self.settings)
                _ = try await stand.client.result("config.reload")
                let unknown = try await tokenctl.run("forward", "nowhere.invalid", "--socket", "bild")
                #expect(unknown.exitCode == 64 && unknown.talk.contains("there is: build"))
                let ssh = try await LoopbackSSH(in: stand.session.folder)
                let path = ssh.programs + ":" + (stand.world.environment["PATH"] ?? "")
                let lost = try await Tokenctl(stand.world, adding: ["PATH": path]).run("forward", "nowhere.invalid")
                #expect(lost.exitCode == 69 && lost.talk.contains("nowhere.invalid"), "\(lost)")
            }
        }

        /// A client over there gets a token, and sees no more than the socket shows.
        private static func use(_ remote: String, of stand: Stand) async throws {
            var status = stat()
            #expect(stat(remote, &status) == 0 && status.st_mode & 0o777 == 0o600)
            let client = try SocketClient(path: remote)
            let own = try await stand.token()["access_token"]
            #expect(try await client.result("token.get")["access_token"] == own)
            let refused = try await client.call("status")
            #expect(refused["error"]?.object?["data"]?.object?["kind"] == "method_not_found")
        }

        /// What a run leaves behind that was killed.
        private static func leaveDeadSocket(at path: String, below folder: String) throws {
            mkdir(folder + "/tokend", 0o700)
            mkdir(folder + "/tokend/forward", 0o700)
            let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(bound == 0)
        }
    }
}
