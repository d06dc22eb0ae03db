// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct KeyringSessionTests {
    @Test func `a session's keyring stores, forgets over a lock and recalls after the unlock`() async throws {
        try await KeyringSession.with { session in
            let stored = try await session.run(
                "secret-tool",
                ["store", "--label=x", "account", "work"],
                input: .text("sesame")
            )
            #expect(stored.status == .code(0))
            try await session.lockKeyring()
            #expect(try await session.run("secret-tool", ["lookup", "account", "work"]).output == "")
            try await session.unlockKeyring()
            #expect(try await session.run("secret-tool", ["lookup", "account", "work"]).output == "sesame")
        }
    }

    @Test func `a killed keyring comes back with its items`() async throws {
        try await KeyringSession.with { session in
            try await session.run("secret-tool", ["store", "--label=x", "account", "work"], input: .text("sesame"))
            try await session.killKeyring()
            #expect(try await !session.hasProvider())
            try await session.startKeyring(unlocked: true)
            #expect(try await session.run("secret-tool", ["lookup", "account", "work"]).output == "sesame")
        }
    }

    @Test func `a child's end, output and input are its own`() async throws {
        let environment = ["PATH": "/usr/bin:/bin"]
        let child = try ChildProcess(
            "sh",
            ["-c", "read a; echo got $a; echo bad >&2; exit 3"],
            environment: environment,
            input: .pipe
        )
        child.write(Array("line\n".utf8))
        #expect(try await child.line() == "got line")
        #expect(try await child.exit() == .code(3))
        #expect(child.errors == "bad\n")
        let sleeper = try ChildProcess("sleep", ["100"], environment: environment)
        #expect(await sleeper.stop() == .signal(15))
        #expect(throws: ChildProcessError.self) { try ChildProcess("no-such-program", environment: environment) }
    }
}
