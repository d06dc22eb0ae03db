// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

/// `account add --providers-from`.
@Suite struct PublishedProvidersFlowTests {
    private static let url = "https://app.example/providers.json"
    private static let command = ["account", "add", "--providers-from", url]
    private static let list: JSONObject = [
        "providers": [
            ["account": "one", "config": ["issuer": "https://one.example", "client_id": "c"]],
            ["account": "two", "config": ["issuer": "https://two.example", "client_id": "c"]],
        ]
    ]

    /// Accounts that are there, with their settings.
    private func daemon(_ list: JSONObject = list, there: JSONObject = [:]) throws -> StandInDaemon {
        try StandInDaemon { request in
            let account = request.params["account"]?.string ?? ""
            switch request.method {
            case "provider.fetch": return .result(list)
            case "account.add" where there[account] != nil && request.params["replace"] == nil:
                return .error("account_exists", code: -32015, data: ["account": .string(account)])
            case "account.show":
                return .result(["account": .string(account), "config": there[account] ?? [:], "file": "/c"])
            default: return .result(["account": .string(account), "file": "/c"])
            }
        }
    }

    @Test func `the accounts of a list are made, and what is there stays as it is`() throws {
        let daemon = try daemon(there: ["two": ["issuer": "https://mine.example"]])
        defer { daemon.stop() }
        let outcome = try Surroundings().run(Self.command, daemon)
        #expect(outcome.code == 0 && daemon.requests.first?.params == ["url": .string(Self.url)])
        #expect(
            outcome.talk == """
                The account one is made.
                The account two has other settings, and keeps them.
                  → tokenctl login one
                  → tokenctl account add two --providers-from https://app.example/providers.json --replace

                """
        )
    }

    @Test func `where one account cannot be made, those that were are told`() throws {
        let daemon = try StandInDaemon { request in
            switch request.params["account"]?.string {
            case nil: .result(Self.list)
            case "two": .error("not_allowed", code: -32011)
            default: .result(["account": "one", "file": "/c"])
            }
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(Self.command, daemon)
        #expect(outcome.code != 0 && outcome.talk.contains("  Made before that, and there now: one.\n"))
    }

    @Test func `the same list again changes nothing`() throws {
        let daemon = try daemon(there: [
            "one": ["issuer": "https://one.example", "client_id": "c"],
            "two": ["issuer": "https://two.example", "client_id": "c"],
        ])
        defer { daemon.stop() }
        let outcome = try Surroundings().run(Self.command, daemon)
        #expect(outcome.code == 0 && outcome.talk.hasSuffix("already.\nNothing was changed.\n"))
        #expect(try Surroundings().run(Self.command + ["--json"], daemon).json?["unchanged"] == ["one", "two"])
    }

    @Test func `a list never takes away what an account says of programs`() throws {
        let rules: JSONObject = [
            "allow": ["exe:/usr/bin/x"], "confirm": "first", "administration": ["exe:/usr/bin/tokenctl"],
        ]
        var mine: JSONObject = ["issuer": "https://two.example", "client_id": "old"]
        for rule in rules { mine[rule.name] = rule.value }
        let daemon = try daemon(there: ["two": .object(mine)])
        defer { daemon.stop() }
        let proposed = try Surroundings().run(Self.command, daemon).talk
        #expect(proposed.contains("account add two --providers-from https://app.example/providers.json --replace"))
        let words = ["account", "add", "two"] + Self.command.dropFirst(2) + ["--replace"]
        let outcome = try Surroundings().run(words, daemon)
        #expect(outcome.talk.contains("Kept from the account's file: allow, confirm, administration.\n"))
        mine["client_id"] = "c"
        #expect(daemon.requests.last?.params["config"] == .object(mine))
        // With these settings the list has nothing more to say.
        let after = try self.daemon(there: ["two": .object(mine)])
        defer { after.stop() }
        #expect(try Surroundings().run(Self.command + ["--json"], after).json?["unchanged"] == ["two"])
    }

    @Test func `one of them by name; a name that the list lacks is an error`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        #expect(try Surroundings().run(Self.command + ["--replace"], daemon).code == 0)
        #expect(daemon.requests.filter { $0.params["replace"] == true }.count == 2)
        let one = try Surroundings().run(["account", "add", "two"] + Self.command.dropFirst(2), daemon)
        #expect(one.code == 0 && one.talk.hasPrefix("The account two is made.\n"))
        let none = try Surroundings().run(["account", "add", "three"] + Self.command.dropFirst(2), daemon)
        #expect(none.code == 64 && none.talk.contains("it has: one, two"))
    }

    @Test func `a server without a list changes nothing, and that is said`() throws {
        let note = "https://app.example publishes no list of providers there: it answered with HTTP 404"
        let daemon = try daemon(["providers": [], "note": .string(note), "refused": ["“x” holds a secret"]])
        defer { daemon.stop() }
        let outcome = try Surroundings().run(Self.command, daemon)
        #expect(outcome.code == 0 && daemon.methods == ["provider.fetch"])
        #expect(outcome.talk == "\(note).\nSkipped: “x” holds a secret.\nNothing was changed.\n")
        let json = try Surroundings().run(Self.command + ["--json"], daemon).json
        #expect(json?["added"] == [] && json?["note"] == .string(note))
    }
}
