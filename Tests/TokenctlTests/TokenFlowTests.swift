// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import Testing
import tokenctl

@Suite struct TokenFlowTests {
    private static let token: JSONObject = [
        "account": "work", "issuer": "https://i.example", "access_token": "to.ken", "token_type": "Bearer",
        "scope": "openid", "expires_at": 1_003_600, "renewable": true, "refreshed": false,
    ]

    @Test func `a token is all of the output`() throws {
        let daemon = try StandInDaemon { _ in .result(Self.token) }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["token", "work", "--min-valid", "10m", "--fresh"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output == "to.ken\n")
        #expect(outcome.talk == "")
        #expect(daemon.methods == ["token.get"])
        #expect(daemon.requests.first?.params == ["account": "work", "min_valid": 600, "fresh": true])
    }

    @Test func `a token of 16 KB comes whole`() throws {
        let long = String(repeating: "abcdefgh", count: 2048)
        let daemon = try StandInDaemon { _ in .result(["access_token": .string(long), "token_type": "Bearer"]) }
        defer { daemon.stop() }
        #expect(try Surroundings().run(["token"], daemon).output == long + "\n")
    }

    @Test func `its forms are one line each`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "status"
                ? .result(["accounts": [["account": "work", "state": "ready", "identity": "a@b.c"]]])
                : .result(Self.token)
        }
        defer { daemon.stop() }
        let there = Surroundings()
        #expect(
            try there.run(["token", "--format", "header"], daemon).output == "Authorization: Bearer to.ken\n"
        )
        #expect(try there.run(["token", "--format", "env"], daemon).output == "ACCESS_TOKEN=to.ken\n")
        #expect(
            try there.run(["token", "--format", "xoauth2"], daemon).output
                == Base64.encode(Array("user=a@b.c\u{1}auth=Bearer to.ken\u{1}\u{1}".utf8)) + "\n"
        )
        #expect(try there.run(["token", "--json"], daemon).json == Self.token)
        let mistyped = try there.run(["token", "work", "--format", "jsno"], daemon).talk
        #expect(mistyped.hasSuffix("did you mean json?\n  → tokenctl token work --format json\n"))
        let unknown = try there.run(["token", "--format", "yaml9"], daemon).talk
        #expect(unknown.contains(", xoauth2, oauthbearer\n") && unknown.hasSuffix("  → tokenctl token --help\n"))
    }

    @Test func `a mailbox form needs a name`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "status" ? .result(["accounts": [["account": "work"]]]) : .result(Self.token)
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["token", "--format", "xoauth2"], daemon)
        #expect(outcome.code == 65)
        #expect(outcome.output == "")
        #expect(outcome.talk.contains("tokenctl login work --scope 'openid email'"))
    }

    @Test func `a token that would break out of its line is not printed`() throws {
        let daemon = try StandInDaemon { _ in .result(["access_token": "a\nX-Evil: b", "token_type": "Bearer"]) }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["token", "--format", "header"], daemon)
        #expect(outcome.code == 65)
        #expect(outcome.output == "")
    }

    @Test(
        arguments: [
            ("login_required", -32002, 77, "tokenctl login work"), ("login_pending", -32003, 77, "tokenctl login work"),
            ("store_locked", -32009, 75, "tokenctl unlock"),
            ("store_unavailable", -32010, 69, "or have an encrypted file: store: \"file\" in"),
            ("provider_unreachable", -32011, 75, "tokenctl doctor work"), ("provider_error", -32012, 65, ""),
            ("insufficient_scope", -32013, 77, "tokenctl login work"),
            ("config_invalid", -32014, 78, ""),
            ("not_allowed", -32008, 77, ""), ("token_rejected", -32016, 77, "tokenctl login work"),
            ("internal_error", -32603, 70, "tokenctl status"), ("timeout", -32006, 75, "tokenctl status"),
            ("of_the_future", -31999, 1, ""),
        ] as [(String, Int64, Int32, String)]
    )
    func `every fault has its exit code and its next step`(
        _ kind: String,
        _ number: Int64,
        _ exit: Int32,
        _ step: String
    ) throws {
        let daemon = try StandInDaemon { _ in .error(kind, code: number, data: ["account": "work"]) }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["token", "work"], daemon)
        #expect(outcome.code == exit)
        #expect(outcome.output == "")
        #expect(outcome.talk.hasPrefix("tokenctl: that did not work"))
        #expect(step.isEmpty || outcome.talk.contains("→ \(step)"), "\(outcome.talk)")
        let document = try Surroundings().run(["token", "work", "--json"], daemon)
        #expect(document.code == exit)
        #expect(document.json?["error"]?.object?["code"] == .integer(number))
        #expect(document.json?["error"]?.object?["data"] == ["account": "work", "kind": .string(kind)])
    }

    @Test func `at a terminal a locked store is opened first`() throws {
        let daemon = try StandInDaemon.lockedUntilUnlocked(then: Self.token)
        defer { daemon.stop() }
        var there = Surroundings()
        #expect(try there.run(["token"], daemon).code == 75)
        there.isInteractive = true
        let outcome = try there.run(["token"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output == "to.ken\n")
        #expect(outcome.talk.contains("The secret store is locked."))
        #expect(daemon.methods == ["token.get", "token.get", "store.unlock", "token.get"])
    }

    @Test func `a mistyped account gets the nearest name`() throws {
        let daemon = try StandInDaemon { _ in
            .error("account_unknown", code: -32001, data: ["accounts": ["work", "mail"]], message: "no such account")
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["token", "wrok"], daemon)
        #expect(outcome.code == 64)
        #expect(
            outcome.talk == "tokenctl: there is no account “wrok”; did you mean “work”?\n  → tokenctl token work\n"
        )
        let several = try Surroundings().run(["token"], daemon)
        #expect(several.talk == "tokenctl: no such account\n  → tokenctl token work\n  → tokenctl token mail\n")
    }

    @Test func `without any account the way to one is shown`() throws {
        let daemon = try StandInDaemon { _ in .error("account_unknown", code: -32001, data: ["accounts": []]) }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["token"], daemon)
        #expect(outcome.code == 64)
        #expect(outcome.talk.contains("tokenctl account add"))
    }

    @Test func `with --login a missing sign-in is made up for`() throws {
        let daemon = try StandInDaemon.signedOut(
            untilWaitedWith: ["scope": "openid", "renewable": true],
            token: Self.token
        )
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["token", "work", "--login"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output == "to.ken\n")
        #expect(outcome.talk.contains("https://login.example.com/authorize?state=s"))
        #expect(daemon.methods == ["token.get", "login.start", "login.wait", "token.get"])
    }

    @Test(arguments: [
        ["token"], ["status"], ["login", "a"], ["logout", "a"], ["reload"], ["account", "list"], ["unlock"],
    ])
    func `where no daemon is, how to start it is said`(_ arguments: [String]) throws {
        let outcome = try Surroundings().run(arguments)
        #expect(outcome.code == 69)
        #expect(outcome.output == "")
        #expect(outcome.talk.contains("→ start it by hand: tokend"))
        #expect(outcome.talk.contains("by hand: tokend"))
    }

    @Test func `what the daemon's sentence says already is not said twice`() throws {
        let daemon = try StandInDaemon { _ in
            .error(
                "login_required",
                code: -32002,
                data: ["account": "work"],
                message: "nobody is signed in; sign in with: tokenctl login work"
            )
        }
        defer { daemon.stop() }
        let talk = try Surroundings().run(["token"], daemon).talk
        #expect(talk == "tokenctl: nobody is signed in; sign in with: tokenctl login work\n")
    }

    @Test func `a token that holds shorter than asked for is told beside it`() throws {
        let daemon = try StandInDaemon { _ in
            .result(["account": "work", "access_token": "at", "token_type": "Bearer", "expires_at": 1_000_300])
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["token", "work", "--min-valid", "1h"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output == "at\n")
        #expect(
            outcome.talk == "The token is valid for 5 min, not 1 h. The provider gives none that is valid longer.\n"
        )
        #expect(try Surroundings().run(["token", "work", "--min-valid", "5m"], daemon).talk == "")
    }
}
