// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The command line, as a user and as a script meet it.
    @Suite struct CommandLine {
        @Test func `a person signs in, takes a token, looks, and signs out`() async throws {
            try await Stand.with { stand in
                let tokenctl = Tokenctl(stand.world, adding: ["BROWSER": try browser(stand)])
                let login = try await tokenctl.run("login", "work")
                #expect(login.exitCode == 0, "\(login)")
                let token = try await tokenctl.run("token", "work")
                #expect(token.exitCode == 0)
                #expect(stand.provider.accepts(accessToken: String(token.output.dropLast())))
                #expect(token.output.hasSuffix("\n"))
                let status = try await tokenctl.run("status", "--json")
                #expect(status.exitCode == 0)
                let accounts = try JSONReader().read(status.output).object?["accounts"]?.array
                #expect(accounts?.first?.object?["state"]?.string == "ready")
                #expect(try await tokenctl.run("status").output.contains("alice@example.org"))
                #expect(try await tokenctl.run("logout", "work").exitCode == 0)
                #expect(try await tokenctl.run("status").exitCode == 1)
                let again = try await tokenctl.run("token", "work")
                #expect(again.exitCode == 77)
                #expect(again.output.isEmpty)
                #expect(again.talk.contains("tokenctl login work"))
            }
        }

        @Test func `without a daemon it says how to start one`() async throws {
            try await KeyringSession.with(.none) { session in
                let run = try await Tokenctl(try DaemonWorld(session)).run("status")
                #expect(run.exitCode == 69)
                #expect(run.talk.contains("by hand: tokend") || run.talk.contains("systemctl --user"), "\(run.talk)")
            }
        }

        @Test func `without an account it says how to make one`() async throws {
            try await Stand.with(prepare: { _, _ in }) { stand in
                let run = try await Tokenctl(stand.world).run("login")
                #expect(run.exitCode == 64)
                #expect(run.talk.contains("→ tokenctl account add\n"))
            }
        }

        @Test func `a mistyped account or verb gets the nearest name`() async throws {
            try await Stand.with { stand in
                let account = try await Tokenctl(stand.world).run("token", "wrok")
                #expect(account.exitCode == 64)
                #expect(account.talk.contains("work"))
                let verb = try await Tokenctl(stand.world).run("statsu")
                #expect(verb.exitCode == 64)
                #expect(verb.talk.contains("status"))
            }
        }

        @Test func `a locked keyring is told with its exit code`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                try await stand.session.lockKeyring()
                let run = try await Tokenctl(stand.world).run("token", "work", "--fresh")
                #expect(run.exitCode == 75)
                #expect(run.talk.contains("lock"))
            }
        }

        @Test func `Ctrl-C at a login cancels it in the daemon too`() async throws {
            try await Stand.with { stand in
                let tokenctl = try Tokenctl(stand.world).start("login", "work", "--no-browser")
                let link = try await tokenctl.talk { $0.contains("http://") }
                #expect(link.contains(stand.provider.origin))
                let login = try #require(try await stand.status()["login"]?.object?["login_id"])
                tokenctl.signal(SIGINT)
                #expect(try await tokenctl.exit() == .code(130))
                let refusal = try await stand.refusal("login.wait", ["login_id": login])
                #expect(refusal.kind == "cancelled")
            }
        }

        @Test func `reload and version answer`() async throws {
            try await Stand.with { stand in
                #expect(try await Tokenctl(stand.world).run("reload").exitCode == 0)
                let version = try await Tokenctl(stand.world).run("version")
                #expect(version.exitCode == 0)
                #expect(version.output.contains("tokend"))
            }
        }

        @Test(arguments: ["login", "status", "logout", "token", "reload", "version"])
        func `every verb has help with an example`(verb: String) async throws {
            try await KeyringSession.with(.none) { session in
                let run = try await Tokenctl(try DaemonWorld(session)).run(verb, "--help")
                #expect(run.exitCode == 0)
                #expect(run.output.contains("tokenctl \(verb)"))
            }
        }

        /// A program that stands in for the user's browser and for the user.
        private func browser(_ stand: Stand) throws -> String {
            let path = stand.session.folder + "/browser"
            let text = "#!/bin/sh\nexec curl --silent --show-error --location --max-time 30 --output /dev/null \"$1\"\n"
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
            return path
        }
    }
}
