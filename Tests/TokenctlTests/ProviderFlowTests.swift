// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

/// Accounts that are made from presets and from lists that servers publish.
@Suite struct ProviderFlowTests {
    private static let presets: JSONObject = [
        "providers": [
            [
                "provider": "corp", "title": "The corporation", "about": "ours",
                "account": ["issuer": "https://corp.example", "client_id": "c"],
            ],
            [
                "provider": "google", "title": "Google", "about": "Gmail",
                "register": ["url": "https://console.example/clients", "as": "a “Desktop app”"],
                "notes": ["Publish the app"],
                "account": ["issuer": "https://accounts.example", "client_authentication": "client_secret_post"],
            ],
            [
                "provider": "keycloak", "title": "Keycloak", "about": "your own",
                "register": ["url": "https://kc.example", "redirect": "http://127.0.0.1/callback"],
                "asks": [
                    ["name": "server", "about": "the server", "kind": "url", "example": "https://sso.example"],
                    ["name": "realm", "about": "the realm", "default": "main"],
                ],
                "account": ["issuer": "{server}/realms/{realm}"],
            ],
            ["provider": "old", "title": "old", "about": "", "account": [:], "fault": "/c/old.json5:1: is broken"],
        ]
    ]

    private func daemon() throws -> StandInDaemon {
        try StandInDaemon { request in
            switch request.method {
            case "provider.list": .result(Self.presets)
            case "account.show": .result(["account": "work", "config": ["provider": "other"], "file": "/c"])
            case "login.start": .result(StandInDaemon.started)
            case "login.wait": .result(["account": "work", "identity": "anna@example.com"])
            default: .result(["account": "work", "file": "/c/accounts/work.json5"])
            }
        }
    }

    @Test func `the providers are a table, and JSON for programs`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["account", "add", "--list-providers"], daemon)
        #expect(outcome.code == 0 && daemon.methods == ["provider.list"])
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 5 && lines[0].hasPrefix("PROVIDER  NEEDS"))
        #expect(lines[2].hasPrefix("google    client id, secret") && lines[2].hasSuffix("Google: Gmail"))
        #expect(lines[3].contains("client id, server") && lines[4].contains("broken"))
        #expect(try Surroundings().run(["account", "add", "--list-providers", "--json"], daemon).json == Self.presets)
    }

    @Test func `in a script the flags are all there is to it`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let command = ["account", "add", "work", "--provider", "keycloak", "--client-id", "c"]
        let outcome = try Surroundings().run(command + ["--set", "server=https://s/a=b", "realm=r"], daemon)
        #expect(outcome.code == 0 && daemon.methods == ["account.add"], "\(outcome.talk)")
        #expect(
            daemon.requests.first?.params["config"] == [
                "provider": "keycloak", "set": ["server": "https://s/a=b", "realm": "r"], "client_id": "c",
            ]
        )
    }

    @Test func `without a client id a script is told what to register, and nothing is made`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["login", "work", "--provider", "google"], daemon)
        #expect(outcome.code == 64 && daemon.methods == ["provider.list"])
        #expect(outcome.talk.contains("  where         https://console.example/clients\n"))
        #expect(
            outcome.talk.contains("  as            a \"Desktop app\"\n") || outcome.talk.contains("a “Desktop app”")
        )
        #expect(outcome.talk.contains("  - Publish the app\n") && outcome.talk.contains("login needs --client-id ID"))
    }

    @Test func `a preset that brings its client along needs no more than its name`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        #expect(try Surroundings().run(["login", "work", "--provider", "corp"], daemon).code == 0)
        #expect(daemon.requests.first { $0.method == "account.add" }?.params["config"] == ["provider": "corp"])
        #expect(daemon.methods == ["provider.list", "account.add", "login.start", "login.wait"])
    }

    @Test func `at a terminal only that is asked for which the preset cannot know`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        there.input = "keycloak\nwork\nsso.example\nhttps://sso.example\na b\n\n desk \n"
        let outcome = try there.run(["account", "add"], daemon)
        #expect(outcome.code == 0, "\(outcome.talk)")
        #expect(outcome.talk.contains("That is no address such as https://login.example.com.\n"))
        #expect(outcome.talk.contains("  redirect URI  http://127.0.0.1/callback\n"))
        #expect(outcome.talk.contains("realm (the realm) [main]: That is more than letters, digits and . _ -\n"))
        #expect(!outcome.talk.contains("--set realm="))
        #expect(
            daemon.added == [
                "account": "work",
                "config": ["provider": "keycloak", "set": ["server": "https://sso.example"], "client_id": "desk"],
            ]
        )
    }

    @Test func `what a preset assumes is asked for, and any other answer goes to the daemon`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        there.input = "https://sso.example\nstaff\ndesk\n"
        #expect(try there.run(["login", "work", "--provider", "keycloak"], daemon).code == 0)
        let added = daemon.requests.first { $0.method == "account.add" }
        #expect(
            added?.params["config"] == [
                "provider": "keycloak", "set": ["server": "https://sso.example", "realm": "staff"], "client_id": "desk",
            ]
        )
    }

    @Test func `an account that is there is asked nothing about`() throws {
        let set: JSONObject = ["server": "https://sso.example", "realm": "staff"]
        let daemon = try StandInDaemon { request in
            switch request.method {
            case "provider.list": .result(Self.presets)
            case "account.add": .error("account_exists", code: -32015, data: ["account": "work"])
            case "account.show":
                .result(["config": ["provider": "keycloak", "set": .object(set), "client_id": "desk"]])
            case "login.start": .result(StandInDaemon.started)
            default: .result(["account": "work"])
            }
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        let command = ["login", "work", "--provider", "keycloak", "--client-id", "desk", "--set", "realm=staff"]
        let outcome = try there.run(command + ["--set", "server=https://sso.example"], daemon)
        #expect(outcome.code == 0 && !outcome.talk.contains("[main]"), "\(outcome.talk)")
    }

    @Test func `a typing mistake in the dialogue is asked about again, and ends nothing`() throws {
        let daemon = try StandInDaemon { request in
            switch request.method {
            case "provider.list": .result(Self.presets)
            case "account.list": .result(["accounts": ["taken"]])
            default: .result(["account": "work", "file": "/c"])
            }
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        there.input = "gogle\nnobody\nold\nlogin.example.com\nhttp://login.example.com\ncorp\na/b\ntaken\nwork\n"
        let outcome = try there.run(["account", "add"], daemon)
        #expect(outcome.code == 0, "\(outcome.talk)")
        for fault in [
            "A name has only letters, digits", "There is an account “taken” already.",
            "tokend knows no provider “gogle”; did you mean google?",
            "tokend knows no provider “nobody”, but these: corp, google, keycloak, old.", "/c/old.json5:1: is broken",
            "is it https://login.example.com?", "That is no address such as",
        ] {
            #expect(outcome.talk.contains(fault), "\(fault)")
        }
        #expect(daemon.added == ["account": "work", "config": ["provider": "corp"]])
    }

    @Test(
        arguments: [
            ("https://sso.example", "url", true), ("http://127.0.0.1:8080/x", "url", true),
            ("http://sso.example", "url", false),
            ("sso.example", "url", false), ("https://sso.example?x", "url", false), ("gitlab.example", "host", true),
            ("gitlab.example:8443", "host", true), ("https://gitlab.example", "host", false), ("a/b", "host", false),
            ("any.thing-1_", nil, true), ("a b", nil, false), ("a/b", "word", false), ("a b", "of the future", true),
        ] as [(String, String?, Bool)]
    )
    func `an answer of the wrong kind is told where it is asked for`(_ answer: String, _ kind: String?, _ isGood: Bool)
    {
        #expect((PresetAnswer.fault(of: answer, kind: kind) == nil) == isGood)
    }

    @Test func `a provider that may register a client is not asked about with --register`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        for isInteractive in [true, false] {
            var there = Surroundings()
            there.isInteractive = isInteractive
            // The preset's default is good enough.
            there.input = isInteractive ? "\n" : ""
            let command = [
                "account", "add", "work", "--provider", "keycloak", "--register", "--set", "server=https://s",
            ]
            #expect(try there.run(command, daemon).code == 0)
            #expect(
                daemon.added?["config"] == ["provider": "keycloak", "set": ["server": "https://s"]]
            )
        }
    }

    @Test func `at a terminal what to know is broken at its width, and so is the table; a pipe gets it in one line`()
        throws
    {
        let words = Array(repeating: "word", count: 40).joined(separator: " ")
        let daemon = try StandInDaemon { _ in
            .result([
                "providers": [["provider": "p", "title": "P", "about": .string(words), "notes": [.string(words)]]]
            ])
        }
        defer { daemon.stop() }
        var there = Surroundings()
        let list = ["account", "add", "--list-providers"]
        #expect(try there.run(list, daemon).output.contains(words))
        there.outputIsTerminal = true
        let cut = try there.run(list, daemon).output.split(separator: "\n")
        #expect(cut.allSatisfy { DisplayWidth.of(String($0)) <= 80 } && cut.count > 3 && !cut.joined().contains("…"))
        #expect(cut.last?.hasPrefix(String(repeating: " ", count: 21) + "word") == true, "\(cut)")
        let command = ["login", "work", "--provider", "p"]
        #expect(try there.run(command, daemon).talk.contains("  - \(words)\n"))
        there.isInteractive = true
        let lines = try there.run(command, daemon).talk.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 80 } && lines.contains { $0.hasPrefix("    word word") })
    }

    @Test func `a secret that the provider wants is asked for unseen, and goes to the daemon beside the settings`()
        throws
    {
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        there.input = "top-secret\n"
        let command = ["account", "add", "work", "--provider", "google", "--client-id", "c"]
        let outcome = try there.run(command, daemon)
        #expect(outcome.code == 0 && !outcome.talk.contains("top-secret") && !outcome.talk.contains("console.example"))
        #expect(
            daemon.added == [
                "account": "work", "config": ["provider": "google", "client_id": "c"], "client_secret": "top-secret",
            ]
        )
    }

    @Test(arguments: [
        (["--provider", "gogle", "--client-id", "c"], true, "did you mean google?"),
        (["--provider", "old", "--client-id", "c"], true, "/c/old.json5:1: is broken"),
        (["--provider", "google", "--issuer", "https://i", "--client-id", "c"], false, "--provider or --issuer"),
        (["--issuer", "https://i", "--set", "a=b", "--client-id", "c"], false, "name it with --provider"),
        (["--provider", "google", "--set", "a", "--client-id", "c"], false, "--set wants NAME=VALUE"),
        (["--provider", "google", "--set", "=a", "--client-id", "c"], false, "--set wants NAME=VALUE"),
        (
            ["--provider", "google", "--set", "a=b", "--set", "a=c", "--client-id", "c"], false,
            "--set a was given twice"
        ),
        (["--client-id", "c"], false, "--issuer URL or --provider NAME"),
    ])
    func `what makes no sense is said`(flags: [String], isAtTerminal: Bool, words: String) throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = isAtTerminal
        let outcome = try there.run(["account", "add", "work"] + flags, daemon)
        #expect(outcome.code != 0 && outcome.talk.contains(words), "\(outcome.talk)")
        #expect(!daemon.methods.contains("account.add"))
    }
}

extension StandInDaemon {
    /// The parameters of the account that was added last.
    fileprivate var added: JSONObject? { requests.last { $0.method == "account.add" }?.params }
}
