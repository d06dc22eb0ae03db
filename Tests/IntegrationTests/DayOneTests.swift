// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// What a new user meets first: the picture, an installation, a session that lacks something.
    @Suite struct DayOne {
        private static let path = "/usr/local/bin:/usr/bin:/bin:" + BuildProducts.folder

        /// Runs a script of the project's in a home of its own, without a service manager.
        private func script(_ words: [String], _ session: KeyringSession) async throws -> ChildProcess.Finished {
            try await ChildProcess.run(
                BuildProducts.source + "/scripts/" + words[0],
                Array(words.dropFirst()),
                environment: ["HOME": session.folder + "/home", "PATH": Self.path, "LANG": "C.UTF-8"],
                within: .seconds(120)
            )
        }

        @Test func `the README's picture shows what the programs say`() async throws {
            try await KeyringSession.with(.none) { session in
                let checked = try await script(["picture", "--built", BuildProducts.shippedFolder, "--check"], session)
                #expect(checked.status == .code(0), "\(checked)")
            }
        }

        @Test func `without a service manager it is installed, started by hand, and removed without a trace`()
            async throws
        {
            try await KeyringSession.with(.none) { session in
                let home = session.folder + "/home"
                func files() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: home).sorted() }
                let before = try files()
                let installed = try await script(["install", "--built", BuildProducts.shippedFolder], session)
                #expect(installed.status == .code(0), "\(installed)")
                #expect(installed.output.contains("start the daemon by hand: \(home)/.local/bin/tokend\n"))
                #expect(!installed.output.contains("systemctl"))
                let desktop = home + "/.local/share/applications/tokend.desktop"
                let entry = try String(decoding: Data(contentsOf: URL(filePath: desktop)), as: UTF8.self)
                #expect(entry.contains("\nExec=\(home)/.local/bin/tokenctl callback %u\n"))
                let checked = try await ChildProcess.run(
                    "desktop-file-validate",
                    [desktop],
                    environment: ["PATH": Self.path]
                )
                #expect(checked.status == .code(0) && checked.output.isEmpty, "\(checked)")
                // As `systemctl --user enable` leaves it in a session that has a manager.
                let wants = home + "/.config/systemd/user/sockets.target.wants"
                try FileManager.default.createDirectory(atPath: wants, withIntermediateDirectories: true)
                try #require(symlink(home + "/.local/share/systemd/user/tokend.socket", wants + "/tokend.socket") == 0)
                try #require(symlink("/elsewhere/tokend.service", wants + "/tokend.service") == 0)
                let removed = try await script(["install", "--remove"], session)
                #expect(removed.status == .code(0), "\(removed)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: wants) == ["tokend.service"])
                try FileManager.default.removeItem(atPath: home + "/.config")
                #expect(try files() == before + [".local"])
            }
        }

        @Test func `a session without a runtime folder is told once what gives it one`() async throws {
            try MissingPrerequisite.require(program: "/usr/bin/bwrap")
            try await KeyringSession.with(.none) { session in
                var environment = try DaemonWorld(session).environment
                environment["XDG_RUNTIME_DIR"] = nil
                func run(_ words: String...) async throws -> ChildProcess.Finished {
                    try await ChildProcess.run(
                        "/usr/bin/bwrap",
                        ["--dev-bind", "/", "/", "--tmpfs", "/run/user", BuildProducts.program("tokenctl")] + words,
                        environment: environment
                    )
                }
                let status = try await run("status")
                #expect(status.status == .code(69), "\(status)")
                #expect(status.errors.contains("→ export XDG_RUNTIME_DIR=") || status.errors.contains("-> export"))
                #expect(!status.errors.contains("start it by hand"))
                let doctor = try await run("doctor")
                #expect(doctor.output.ranges(of: "XDG_RUNTIME_DIR is not set").count == 1, "\(doctor)")
            }
        }

        @Test func `what a newer daemon noted down is there again after an older one`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                try await stand.daemon.stop()
                let file = stand.session.folder + "/state/tokend/state.json"
                let note = "{\"removals\":[],\"of_the_future\":{\"work\":[1,\"two\"]}}"
                try FileManager.default.createDirectory(
                    atPath: stand.session.folder + "/state/tokend",
                    withIntermediateDirectories: true
                )
                try Data(note.utf8).write(to: URL(filePath: file))
                let daemon = try await DaemonProcess.start(stand.world)
                #expect(try await Tokenctl(stand.world).run("pause", "work").exitCode == 0)
                let kept = try JSONReader().read([UInt8](Data(contentsOf: URL(filePath: file)))).object
                #expect(kept?["paused"] == ["work"])
                #expect(kept?["of_the_future"] == ["work": [1, "two"]])
                try await daemon.stop()
            }
        }

        @Test func `a sandboxed program without a screen signs in by the browser outside and a loopback address (E8)`()
            async throws
        {
            func prepare(_ world: DaemonWorld, _ provider: FakeProvider) throws {
                let browser = world.session.folder + "/browser"
                let script = "#!/bin/sh\nexec curl -sSL --noproxy '*' -o /dev/null \"$1\"\n"
                try Data(script.utf8).write(to: URL(filePath: browser))
                chmod(browser, 0o700)
                try world.writeConfiguration("{ browser: [\"\(browser)\"] }")
                try world.writeAccount("work", issuer: provider.issuer)
            }
            try await Stand.with(prepare: prepare) { stand in
                let programs = try await PeerStand(stand) { _ in "flatpak:org.example.Mail" }
                _ = try await stand.client.result("logout", ["account": "work"])
                let asking = """
                    s = connect()
                    s.sendall(b'{"method":"token.get","params":{"account":"work","interactive":true}}\\n')
                    print(hear(s))
                    """
                let answer = try await programs.run(programs.bad, asking, under: programs.flatpak("org.example.Mail"))
                #expect(answer == "token")
            }
        }

        @Test func `a terminal that goes away takes its sign-in along`() async throws {
            try await Stand.with { stand in
                let tokenctl = Tokenctl(stand.world, adding: ["BROWSER": "/bin/true"])
                let login = try tokenctl.startAtTerminal("login", "work")
                _ = try await login.line { $0.contains("/authorize?") }
                let pending = try await stand.client.result("login.start", ["account": "work"])
                login.signal(SIGKILL)
                let id = try #require(pending["login_id"]?.string)
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(id), "timeout": 20])
                #expect(refusal.kind == "cancelled", "\(refusal)")
                #expect(try await stand.status()["state"] == "signed_out")
            }
        }
    }
}
