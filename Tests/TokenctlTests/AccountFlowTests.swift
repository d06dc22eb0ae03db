// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

@Suite struct AccountFlowTests {
    private func daemon(_ result: JSONObject) throws -> StandInDaemon {
        try StandInDaemon { request in
            request.method == "provider.list" ? .result(["providers": []]) : .result(result)
        }
    }

    @Test func `at a terminal the account's settings are asked for`() throws {
        let daemon = try daemon(["account": "work", "file": "/c/accounts/work.json5"])
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        there.input = "\nhttps://i.example/.well-known/openid-configuration\nwork\n desk \n\n"
        let outcome = try there.run(["account", "add"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.talk.hasSuffix("→ tokenctl login work\n"))
        #expect(
            daemon.requests.last?.params == [
                "account": "work",
                "config": ["issuer": "https://i.example", "client_id": "desk", "scopes": ["openid"]],
            ]
        )
    }

    @Test func `where the account is made and its key is not taken, that is said`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "account.secret"
                ? .error("store_unavailable", code: -32010, data: ["file": "/s"]) : .result(["account": "work"])
        }
        defer { daemon.stop() }
        let key = try TemporaryFile("-----BEGIN PRIVATE KEY-----\n")
        let command = ["account", "add", "work", "--issuer", "https://i.example", "--client-id", "c"]
        let outcome = try Surroundings().run(command + ["--client-key-file", key.path], daemon)
        #expect(outcome.code == 69)
        #expect(
            outcome.talk.hasSuffix(
                """
                  The account work is made, and lacks its key.
                  → tokenctl doctor
                  → tokenctl account secret work --kind client_key --file FILE

                """
            ),
            "\(outcome.talk)"
        )
    }

    @Test func `a person who stops answering makes no account`() throws {
        let daemon = try daemon([:])
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        there.input = "https://i.example\nwork\n"
        #expect(try there.run(["account", "add"], daemon).code == 64)
        #expect(!daemon.methods.contains("account.add"))
    }

    @Test func `in a script what is missing is an error that names it`() throws {
        let daemon = try daemon([:])
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["account", "add", "work", "--client-id", "c"], daemon)
        #expect(outcome.code == 64)
        #expect(outcome.talk.hasPrefix("tokenctl: account add needs --issuer URL"))
        let name = try Surroundings().run(
            ["account", "add", "a/b", "--client-id", "c", "--issuer", "https://i.example"],
            daemon
        )
        #expect(name.code == 64)
        #expect(daemon.methods.isEmpty)
    }

    @Test func `an account that is there is overwritten where that is asked for`() throws {
        let daemon = try daemon([:])
        defer { daemon.stop() }
        let command = ["account", "add", "ci", "--issuer", "https://i.example", "--client-id", "c"]
        #expect(try Surroundings().run(command + ["--replace"], daemon).code == 0)
        #expect(daemon.methods == ["account.show", "account.add"])
        #expect(daemon.requests.last?.params["replace"] == true)
    }

    @Test func `what a command line cannot say stays where an account is overwritten`() throws {
        let old: JSONObject = [
            "issuer": "https://i.example", "client_id": "old", "scopes": ["email"], "allow": ["exe:/usr/bin/x"],
            "confirm": "first", "administration": ["exe:/usr/bin/tokenctl"], "tls": ["ca_file": "/ca.pem"],
        ]
        let daemon = try StandInDaemon { request in
            request.method == "account.show" ? .result(["config": .object(old)]) : .result(["account": "ci"])
        }
        defer { daemon.stop() }
        let command = ["account", "add", "ci", "--client-id", "c", "--replace", "--issuer"]
        let same = try Surroundings().run(command + ["https://i.example"], daemon)
        #expect(same.code == 0)
        #expect(same.talk.hasPrefix("Kept from the account's file: allow, confirm, administration, tls.\n"))
        var config = old
        config["client_id"] = "c"
        config["scopes"] = nil
        #expect(daemon.requests.last?.params["config"] == .object(config))
        // What was about the old provider is of no use with another one, or does harm there.
        let other = try Surroundings().run(command + ["https://other.example"], daemon)
        #expect(other.talk.contains("Removed with the old provider: tls.\n"))
        config["issuer"] = "https://other.example"
        config["tls"] = nil
        #expect(daemon.requests.last?.params["config"] == .object(config))
    }

    @Test func `an account is not overwritten whose file cannot be read`() throws {
        let data: JSONObject = ["file": "/c/ci.json5", "line": 3]
        let daemon = try StandInDaemon { _ in .error("config_invalid", code: -32010, data: data) }
        defer { daemon.stop() }
        let command = ["account", "add", "ci", "--issuer", "https://i.example", "--client-id", "c", "--replace"]
        let outcome = try Surroundings().run(command, daemon)
        #expect(outcome.code != 0 && daemon.methods == ["account.show"])
        #expect(outcome.talk.contains("/c/ci.json5:3"))
    }

    @Test func `a name that is taken is overwritten with the command that is shown`() throws {
        let daemon = try StandInDaemon { _ in .error("account_exists", code: -32015, message: "it is there") }
        defer { daemon.stop() }
        let command = ["account", "add", "ci", "--issuer", "https://i.example", "--client-id", "c"]
        let outcome = try Surroundings().run(command, daemon)
        #expect(outcome.code == 1)
        #expect(outcome.talk.hasSuffix("  → tokenctl \((command + ["--replace"]).joined(separator: " "))\n"))
    }

    @Test func `names are data, one a line`() throws {
        let daemon = try daemon(["accounts": ["a", "b"], "default": "b"])
        defer { daemon.stop() }
        #expect(try Surroundings().run(["account", "list"], daemon).output == "a\nb\n")
        var there = Surroundings()
        there.outputIsTerminal = true
        #expect(try there.run(["account", "list"], daemon).output == "a\nb  (default)\n")
    }

    @Test func `settings go to stdout, where they are from to stderr`() throws {
        let daemon = try daemon(["account": "a", "config": ["issuer": "https://i"], "file": "/c/a.json5"])
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["account", "show", "a"], daemon)
        #expect(try JSONReader().read(outcome.output) == ["issuer": "https://i"])
        #expect(outcome.talk == "# /c/a.json5\n")
    }

    @Test func `an account is removed, with or without its grant`() throws {
        let daemon = try daemon(["revoked": true])
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["account", "remove", "a", "--keep-grant"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.talk.hasSuffix("The account a is removed.\n"))
        #expect(daemon.requests.first?.params == ["account": "a", "revoke": false])
    }

    @Test func `where nobody was signed in, removing says no more than that it is done`() throws {
        let daemon = try daemon(["revoked": false])
        defer { daemon.stop() }
        #expect(try Surroundings().run(["account", "remove", "a"], daemon).talk == "The account a is removed.\n")
    }

    @Test func `what must not be done twice is not sent again`() throws {
        let daemon = try StandInDaemon { _ in .hangUp }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["account", "remove", "a"], daemon)
        #expect(outcome.code == 75)
        #expect(daemon.methods == ["account.remove"])
    }
}
