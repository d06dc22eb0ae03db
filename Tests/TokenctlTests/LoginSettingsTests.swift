// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

/// `login` with settings for an account that is there already.
@Suite struct LoginSettingsTests {
    private static let command = ["login", "work", "--issuer", "https://right.example", "--client-id", "c"]

    private func daemon(_ config: JSONObject, state: String) throws -> StandInDaemon {
        try StandInDaemon { request in
            switch request.method {
            case "account.add" where request.params["replace"] == nil:
                .error("account_exists", code: -32015, data: ["account": "work"])
            case "account.show": .result(["account": "work", "config": .object(config)])
            case "status": .result(["accounts": [["account": "work", "state": .string(state)]]])
            case "login.start": .result(StandInDaemon.started)
            default: .result(["account": "work", "identity": "anna@example.com"])
            }
        }
    }

    @Test(arguments: ["signed_out", "ready"])
    func `the same command works again`(_ state: String) throws {
        let daemon = try daemon(
            ["issuer": "https://right.example", "client_id": "c", "scopes": ["openid"], "user_agent": "x"],
            state: state
        )
        defer { daemon.stop() }
        #expect(try Surroundings().run(Self.command, daemon).code == 0)
        #expect(daemon.methods == ["account.add", "account.show", "login.start", "login.wait"])
    }

    @Test(arguments: [false, true])
    func `a first sign-in that fails says that its account stays, and how it goes`(isThere: Bool) throws {
        let daemon = try StandInDaemon { request in
            switch request.method {
            case "account.add" where isThere: .error("account_exists", code: -32015, data: ["account": "work"])
            case "account.show": .result(["config": ["issuer": "https://right.example", "client_id": "c"]])
            case "login.start": .error("provider_unreachable", code: -32008, data: ["account": "work"])
            default: .result(["account": "work"])
            }
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(Self.command, daemon)
        #expect(outcome.code == 75)
        let stays = "  The account work was made all the same, and stays.\n"
        let steps = "  → tokenctl doctor work\n  → tokenctl login work\n  → tokenctl account remove work\n"
        #expect(outcome.talk.hasSuffix(isThere ? "  → tokenctl doctor work\n" : stays + steps), "\(outcome.talk)")
        #expect(outcome.talk.contains(stays) != isThere)
        #expect(try Surroundings().run(Self.command + ["--json"], daemon).json?["error"] != nil)
    }

    @Test(arguments: ["signed_out", "login_required"])
    func `a mistyped issuer is mended by the right one while nobody is signed in`(_ state: String) throws {
        let daemon = try daemon(["issuer": "https://wrong.example", "client_id": "c"], state: state)
        defer { daemon.stop() }
        let outcome = try Surroundings().run(Self.command, daemon)
        #expect(outcome.code == 0, "\(outcome.talk)")
        #expect(
            outcome.talk.hasPrefix("The settings of work are replaced; you were not signed in with the old ones.\n")
        )
        #expect(
            daemon.requests.first { $0.params["replace"] == true }?.params == [
                "account": "work", "replace": true,
                "config": ["issuer": "https://right.example", "client_id": "c"],
            ]
        )
        #expect(daemon.methods.last == "login.wait")
    }

    @Test(arguments: ["ready", "refreshing", "store_locked", "misconfigured", "login_pending", "unknown"])
    func `settings that are in use are replaced on request only`(_ state: String) throws {
        let daemon = try daemon(["issuer": "https://wrong.example", "client_id": "c"], state: state)
        defer { daemon.stop() }
        let outcome = try Surroundings().run(Self.command + ["--scope", "openid", "a'b"], daemon)
        #expect(outcome.code == 1)
        #expect(
            outcome.talk == """
                tokenctl: the account work is in use with other settings; to replace them all the same:
                  → tokenctl account add work --issuer https://right.example --client-id c \
                --scope 'openid a'\\''b' --replace

                """
        )
        #expect(!daemon.methods.contains("login.start"))
    }

    @Test func `settings that a command line cannot say are not lost by a sign-in, whoever is signed in`() throws {
        let config: JSONObject = [
            "issuer": "https://wrong.example", "client_id": "c", "confirm": "first", "allow": ["exe:/usr/bin/x"],
        ]
        let daemon = try daemon(config, state: "signed_out")
        defer { daemon.stop() }
        let outcome = try Surroundings().run(Self.command, daemon)
        #expect(outcome.code == 0)
        #expect(outcome.talk.contains("\nKept from the account's file: confirm, allow.\n"))
        #expect(
            daemon.requests.first { $0.params["replace"] == true }?.params["config"] == [
                "issuer": "https://right.example", "client_id": "c", "confirm": "first", "allow": ["exe:/usr/bin/x"],
            ]
        )
    }

    @Test func `settings of a provider that a sign-in would leave are replaced on request only`() throws {
        let config: JSONObject = [
            "issuer": "https://wrong.example", "client_id": "c", "tls": ["ca_file": "/ca.pem"], "par": "never",
        ]
        let daemon = try daemon(config, state: "signed_out")
        defer { daemon.stop() }
        let outcome = try Surroundings().run(Self.command, daemon)
        #expect(outcome.code == 1)
        #expect(
            outcome.talk == """
                tokenctl: the account work has settings that would be lost (tls, par); edit its file, or \
                replace them all the same:
                  → tokenctl account add work --issuer https://right.example --client-id c --replace

                """
        )
        #expect(!daemon.requests.contains { $0.params["replace"] == true })
    }

    @Test(arguments: [["login"], ["account", "add"]])
    func `settings that the daemon refuses are told without a file that was never written`(_ verb: [String]) throws {
        let daemon = try StandInDaemon { _ in
            .error(
                "config_invalid",
                code: -32014,
                data: ["file": "/c/work.json5", "line": 2, "member": "issuer"],
                message: "/c/work.json5:2: issuer: must be an https URL"
            )
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(verb + ["work", "--issuer", "example.com", "--client-id", "c"], daemon)
        #expect(outcome.code == 78)
        #expect(outcome.talk == "tokenctl: issuer: must be an https URL\n")
    }

    @Test func `no time at all is refused`() throws {
        let outcome = try Surroundings().run(["login", "work", "--timeout", "0"])
        #expect(outcome.code == 64)
        #expect(outcome.talk == "tokenctl: --timeout 0 leaves no time to sign in\n")
    }
}
