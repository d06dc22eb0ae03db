// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import TokenClient
import TokendProtocol
import tokenctl

@Suite struct ErrorTextTests {
    private func text(_ message: String, next: [String] = [], width: Int? = 40) -> ErrorText {
        ErrorText(TokenctlError(.input, exitCode: 1, message, next: next), width: width)
    }

    @Test func `a sentence is broken at the terminal's width, and nowhere else`() {
        let long = "the store has gone away and nobody knows where it went"
        #expect(
            text(long).lines == ["tokenctl: the store has gone away and", "  nobody knows where it went"]
        )
        #expect(text(long, width: nil).lines == ["tokenctl: " + long])
        #expect(text(long, width: 80).lines == ["tokenctl: " + long])
    }

    @Test func `a command is never broken`() {
        let signIn = text(
            "nobody is signed in to “demo”; sign in with: tokenctl login demo",
            next: ["tokenctl login demo"]
        )
        #expect(signIn.lines == ["tokenctl: nobody is signed in to", "  “demo”; sign in with:"])
        #expect(signIn.next == ["tokenctl login demo"])
        let within = text("the keyring is locked now; open (tokenctl unlock) or `a b c d e f g` it")
        #expect(
            within.lines == [
                "tokenctl: the keyring is locked now;", "  open (tokenctl unlock) or", "  `a b c d e f g` it",
            ]
        )
    }

    @Test func `a command is told once`() {
        let fits = text("sign in: tokenctl login a", next: ["tokenctl login a"])
        #expect(fits.lines == ["tokenctl: sign in: tokenctl login a"])
        #expect(fits.next == [])
        let sample = "no key is kept; add one with: tokenctl account secret NAME --file FILE"
        let complete = ["tokenctl account secret work --file key.pem"]
        #expect(text(sample, next: complete, width: nil).lines == ["tokenctl: no key is kept"])
        #expect(text(sample, next: complete).next == complete)
        let whole = text(
            "there is no account yet; add one with: tokenctl account add",
            next: ["tokenctl account add"],
            width: nil
        )
        #expect(whole.next == [] && whole.lines.joined().hasSuffix("tokenctl account add"))
    }

    @Test(
        arguments: [
            ("login", "timeout", "tokenctl login work"), ("token", "provider_unreachable", "tokenctl doctor work"),
            ("token", "insufficient_scope", "tokenctl login work --scope 'a b'"),
            ("token", "timeout", "tokenctl status work"),
        ]
    )
    func `each fault leads on`(_ verb: String, _ kind: String, _ step: String) throws {
        let daemon = try StandInDaemon { _ in .error(kind, code: -32000, data: ["requested": "a b"]) }
        defer { daemon.stop() }
        let outcome = try Surroundings().run([verb, "work"], daemon)
        #expect(outcome.talk == "tokenctl: that did not work\n  → \(step)\n")
    }

    /// Command lines in which an account can be one that nobody has, each up to where it is given.
    private static let commands = [
        ["login", "wrok"], ["status", "wrok"], ["token", "wrok"], ["logout", "wrok"], ["exec", "wrok", "--", "ls"],
        ["call", "wrok", "POST", "https://api.example.com/a b"], ["call", "wrok", "https://api.example.com"],
        ["account", "secret", "wrok"], ["account", "import", "wrok"], ["account", "show", "wrok"],
        ["account", "remove", "wrok"], ["refresh", "wrok"], ["pause", "wrok"], ["resume", "wrok"], ["doctor", "wrok"],
        ["policy", "revoke", "wrok", "exe:/usr/bin/mb sync"], ["setup", "git", "wrok"], ["callback", "x:/a?state=b"],
        ["credential", "git", "get", "--account", "wrok"], ["credential", "docker", "get", "--account", "wrok"],
        ["credential", "kubernetes", "--account", "wrok"], ["unlock"], ["reload"], ["policy", "list"],
        ["credential", "aws", "--account", "wrok", "--role", "r"], ["log", "wrok"], ["account", "list"],
    ]

    @Test(arguments: commands) func `every command line that is advised is one that parses`(
        _ arguments: [String]
    ) throws {
        let invocation = try CommandLineParser.parse(SystemText.list(arguments))
        guard case .run(let invocation) = invocation else { throw TokenctlError.usage("no invocation") }
        let operands = invocation.operands
        for account in [nil, "wrok", "o'clock"] {
            let advice = Advice(verb: invocation.verb, account: account, operands: operands, now: 0)
            for kind in ErrorKind.known {
                let data: JSONObject = [
                    "accounts": ["work", "o'clock"], "requested": "it's a", "file": "/a", "line": 1,
                ]
                let reply = ProtocolError(kind, "that did not work", data: data)
                let error = advice.error(TokenClientError(reply: reply, number: nil))
                AdviceLine.check(steps: error.next)
                #expect(kind != .accountUnknown || !error.next.isEmpty)
            }
            AdviceLine.check(steps: advice.accountSteps([]) + advice.accountSteps(["a", "b"]))
        }
    }

    @Test(arguments: [
        (["credential", "aws"], "tokenctl credential aws --account work"),
        (["credential", "git", "store"], "tokenctl credential git store --account work"),
        (["policy", "revoke", "wrok", "exe:/bin/a b"], "tokenctl policy revoke work 'exe:/bin/a b'"),
        (["call", "wrok", "PUT", "https://a.example/"], "tokenctl call work PUT https://a.example/"),
        (["call", "wrok", "https://a.example/?b&c"], "tokenctl call work 'https://a.example/?b&c'"),
        (["unlock"], "tokenctl status work"),
    ]) func `a corrected command line has what the one before had`(_ arguments: [String], _ corrected: String) throws {
        guard case .run(let invocation) = try CommandLineParser.parse(SystemText.list(arguments)) else { return }
        let advice = Advice(verb: invocation.verb, account: "wrok", operands: invocation.operands, now: 0)
        #expect(advice.accountSteps(["work", "home"]) == [corrected])
    }

    @Test func `a scope that is missing leads to no sign-in without a name`() throws {
        let daemon = try StandInDaemon { _ in .error("insufficient_scope", code: -32000, data: ["requested": "a"]) }
        defer { daemon.stop() }
        #expect(try Surroundings().run(["token"], daemon).talk == "tokenctl: that did not work\n")
    }
}
