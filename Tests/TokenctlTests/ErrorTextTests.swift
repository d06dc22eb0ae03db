// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
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
        let sample = "no account is configured; add one with: tokenctl login NAME --issuer URL --client-id ID"
        let complete = ["tokenctl login work --issuer https://login.example.com"]
        #expect(text(sample, next: complete, width: nil).lines == ["tokenctl: no account is configured"])
        #expect(text(sample, next: complete).next == complete)
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

    @Test func `a scope that is missing leads to no sign-in without a name`() throws {
        let daemon = try StandInDaemon { _ in .error("insufficient_scope", code: -32000, data: ["requested": "a"]) }
        defer { daemon.stop() }
        #expect(try Surroundings().run(["token"], daemon).talk == "tokenctl: that did not work\n")
    }
}
