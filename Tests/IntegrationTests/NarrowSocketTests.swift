// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Further sockets of the built daemon.
    @Suite struct NarrowSockets {
        private static func build(_ more: String = "") -> String {
            "{ sockets: { build: { path: \"%t/tokend/build.sock\", accounts: [\"work\"], \(more) } } }"
        }

        private static func path(_ stand: Stand) -> String {
            stand.world.socketPath.replacing("tokend.sock", with: "build.sock")
        }

        @Test func `sockets come and go with the settings, and take their clients along`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let path = Self.path(stand)
                #expect(access(path, F_OK) != 0)
                try stand.world.writeConfiguration(Self.build("mode: \"0660\""))
                _ = try await stand.client.result("config.reload")
                var status = stat()
                #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o660)
                let client = try SocketClient(path: path)
                let token = try await client.result("token.get")
                let own = try await stand.token()["access_token"]
                #expect(token["account"] == "work" && token["access_token"] == own)
                let daemon = try await stand.client.result("status")["daemon"]?.object
                #expect(daemon?["sockets"] == [["name": "build", "path": .string(path)]])
                try stand.world.writeConfiguration("{}")
                _ = try await stand.client.result("config.reload")
                try await client.awaitEnd()
                #expect(access(path, F_OK) != 0)
                #expect(try await stand.token()["access_token"] == own)
            }
        }

        @Test func `a socket that cannot be made is told wherever a fault is, until it can`() async throws {
            try await Stand.with { stand in
                let folder = stand.session.folder + "/away"
                try stand.world.writeConfiguration(
                    "{\n sockets: {\n build: { path: \"\(folder)/deep/build.sock\", accounts: [\"work\"] },\n"
                        + " other: { accounts: [\"work\"] } } }"
                )
                let reloaded = try await stand.client.result("config.reload")
                let fault = reloaded["faults"]?.array?.first?.object
                #expect(reloaded["state"] == "faults" && reloaded["faults"]?.array?.count == 1, "\(reloaded)")
                #expect(fault?["member"] == "sockets.build" && fault?["line"] == 3 && fault?["mend"] == "reload")
                #expect(
                    fault?["message"]?.string?.contains("is not open: cannot make the folder") == true,
                    "\(reloaded)"
                )
                // The other one is there, and so is the fault in whatever tells of faults.
                _ = try await SocketClient(path: Self.path(stand).replacing("build", with: "other")).result("hello")
                let daemon = try await stand.client.result("status")["daemon"]?.object
                #expect(daemon?["config"]?.object?["state"] == "faults")
                let tokenctl = Tokenctl(stand.world)
                for verb in ["status", "reload", "doctor"] {
                    let run = try await tokenctl.run(verb)
                    let words = "\(run)".split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    #expect(words.contains("sockets.build: is not open"), "\(run)")
                    #expect(words.contains("tokenctl reload"), "\(run)")
                }
                try await stand.daemon.hasLogged("config.json5:3: sockets.build: is not open")
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let mended = try await tokenctl.run("reload")
                #expect(mended.exitCode == 0, "\(mended)")
                _ = try await SocketClient(path: folder + "/deep/build.sock").result("hello")
            }
        }

        @Test func `a reload makes a socket anew that somebody removed, and a stop removes no other's`() async throws {
            try await Stand.with { stand in
                try stand.world.writeConfiguration(Self.build())
                _ = try await stand.client.result("config.reload")
                unlink(Self.path(stand))
                _ = try await stand.client.result("config.reload")
                _ = try await SocketClient(path: Self.path(stand)).result("hello")
                for path in [Self.path(stand), stand.world.socketPath] {
                    unlink(path)
                    try Data("mine".utf8).write(to: URL(filePath: path))
                }
                try await stand.daemon.stop()
                for path in [Self.path(stand), stand.world.socketPath] {
                    #expect(String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) == "mine")
                }
            }
        }

        @Test func `a socket ends at its time, and a stop leaves none behind`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                var now = timespec()
                clock_gettime(CLOCK_REALTIME, &now)
                try stand.world.writeConfiguration(Self.build("until: \(now.tv_sec + 2)"))
                _ = try await stand.client.result("config.reload")
                let client = try SocketClient(path: Self.path(stand))
                _ = try await client.result("token.get")
                try await client.awaitEnd()
                #expect(access(Self.path(stand), F_OK) != 0)
                try stand.world.writeConfiguration(Self.build())
                _ = try await stand.client.result("config.reload")
                #expect(access(Self.path(stand), F_OK) == 0)
                try await stand.daemon.stop()
                #expect(access(Self.path(stand), F_OK) != 0)
            }
        }

        @Test(.enabled(if: geteuid() == 0, "becoming another user takes root"))
        func `another user's tokenctl uses a socket that names it, and says whose it must be`() async throws {
            let nobody: UInt32 = 65534
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
                try stand.world.writeConfiguration(
                    "{ sockets: { build: { path: \"\(path)\", accounts: [\"work\"], mode: \"0666\", uids: [\(nobody)] } } }"
                )
                _ = try await stand.client.result("config.reload")
                func token(_ uid: String?) async throws -> ChildProcess.Finished {
                    var environment = ["PATH": "/usr/bin:/bin", "TOKEND_SOCKET": path]
                    environment["TOKEND_SOCKET_UID"] = uid
                    let user = ["--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"]
                    let command = [folder + "/tokenctl", "token", "work"]
                    return try await ChildProcess.run("setpriv", user + command, environment: environment)
                }
                let own = try #require(try await stand.token()["access_token"]?.string)
                let served = try await token("0")
                #expect(served.status == .code(0) && served.output == own + "\n", "\(served)")
                for uid in [nil, "\(nobody)", "1"] {
                    let refused = try await token(uid)
                    #expect(refused.status == .code(77) && refused.output.isEmpty, "\(refused)")
                    #expect(refused.errors.contains("another user (uid 0) listens at \(path)"))
                    #expect(refused.errors.contains("TOKEND_SOCKET_UID=0"))
                }
                try stand.world.writeConfiguration(
                    "{ sockets: { build: { path: \"\(path)\", accounts: [\"work\"], mode: \"0666\", uids: [1] } } }"
                )
                _ = try await stand.client.result("config.reload")
                let unwanted = try await token("0")
                #expect(unwanted.status == .code(77) && unwanted.output.isEmpty, "\(unwanted)")
                #expect(unwanted.errors.contains("does not serve uid \(nobody)"), "\(unwanted)")
            }
        }
    }
}
