// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The verbs with which a user takes over a sign-in, and looks for what is wrong.
    @Suite struct CommandLineCare {
        @Test func `a refresh token from elsewhere is taken over, and rotated at once`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let token = try #require(stand.provider.liveRefreshTokens.first)
                let tokenctl = Tokenctl(stand.world)
                #expect(try await tokenctl.run("logout", "work", "--keep-grant").exitCode == 0)
                let file = stand.session.folder + "/refresh-token"
                try Data((token + "\n").utf8).write(to: URL(filePath: file))
                let imported = try await tokenctl.run("account", "import", "work", "--refresh-token-file", file)
                #expect(imported.exitCode == 0, "\(imported)")
                #expect(imported.output.isEmpty)
                #expect(!imported.talk.contains(token))
                #expect(stand.provider.liveRefreshTokens.first != token)
                #expect(try await tokenctl.run("token", "work").exitCode == 0)
            }
        }

        @Test func `where the daemon was started by hand, the log says where its lines are`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let log = try await Tokenctl(stand.world).run("log", "--client", "nobody-is-called-so")
                #expect(log.exitCode == 0 && log.output.isEmpty, "\(log)")
                let begin = "No matching log entries.\nThe tokend that runs was started by hand"
                #expect(log.talk.hasPrefix(begin))
                #expect(log.talk.hasSuffix("its log goes to whatever started it.\n"))
                let json = try await Tokenctl(stand.world).run("log", "--client", "nobody-is-called-so", "--json")
                #expect(try JSONReader().read(json.output).object?["entries"] == [] && json.talk.isEmpty, "\(json)")
            }
        }

        @Test func `a log that goes to a file is named by it, and a mistyped account is none`() async throws {
            let toFile = ["sh", "-c", #"exec "$0" "$@" 2>"$XDG_RUNTIME_DIR/hand.log""#]
            try await Stand.with(by: toFile) { stand in
                let daemon = try await stand.client.result("status")["daemon"]?.object
                let file = try #require(daemon?["log_file"]?.string)
                #expect(file.hasSuffix("/hand.log"))
                let tokenctl = Tokenctl(stand.world)
                #expect(try await tokenctl.run("log", "work").talk.hasSuffix("its log goes to \(file).\n"))
                let mistyped = try await tokenctl.run("log", "wrok")
                #expect(mistyped.exitCode == 64 && mistyped.talk.contains("did you mean “work”?"), "\(mistyped)")
            }
        }

        @Test func `one fault in config.json5 is one finding of doctor`() async throws {
            let prepare: (DaemonWorld, FakeProvider) throws -> Void = { world, _ in
                try world.writeConfiguration("{ store: \"fil\" }")
            }
            try await Stand.with(prepare: prepare) { stand in
                let bus = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus", "BROWSER": "/bin/true"]
                let doctor = try await Tokenctl(stand.world, adding: bus).run("doctor", "--json")
                let checks = try JSONReader().read(doctor.output).object?["checks"]?.array?.compactMap(\.object) ?? []
                let failed = checks.filter { $0["result"] == "fail" }
                #expect(failed.count == 1, "\(failed)")
                #expect(failed.first?["detail"]?.string?.hasSuffix("did you mean “file”?") == true)
            }
        }

        @Test func `right after a start the status is true already`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                let status = try await Tokenctl(stand.world).run("status")
                #expect(status.exitCode == 0, "\(status)")
                #expect(status.output.contains("ready"))
                try await daemon.stop()
            }
        }

        @Test func `doctor finds nothing in a sound world, and a mend in a broken one`() async throws {
            try await Stand.with { stand in
                let tokenctl = Tokenctl(stand.world, adding: ["BROWSER": "/bin/true"])
                try await stand.signIn()
                let sound = try await tokenctl.run("doctor")
                #expect(sound.exitCode == 0, "\(sound)")
                #expect(sound.output.contains("writes, reads and removes"))
                #expect(sound.output.contains("provider of work"))
                chmod(stand.world.socketPath, 0o666)
                try await stand.session.lockKeyring()
                stand.provider.stop()
                let broken = try await tokenctl.run("doctor", "work", "--json")
                #expect(broken.exitCode == 1)
                let checks = try JSONReader().read(broken.output).object?["checks"]?.array ?? []
                let failed = checks.compactMap(\.object).filter { $0["result"] == "fail" }
                let names = failed.compactMap { $0["name"]?.string }
                let expected: Set = ["socket", "store of secret-service", "provider of work"]
                #expect(expected.isSubset(of: names), "\(failed)")
                #expect(failed.allSatisfy { $0["mend"]?.string?.isEmpty == false })
            }
        }

        @Test func `doctor without a daemon still looks around`() async throws {
            try await KeyringSession.with(.none) { session in
                let run = try await Tokenctl(try DaemonWorld(session)).run("doctor")
                #expect(run.exitCode == 1)
                #expect(run.output.contains("daemon"))
                #expect(run.output.contains("message bus"))
            }
        }
    }
}
