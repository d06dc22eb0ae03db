// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import tokenctl

@Suite struct ExecTests {
    private static func daemon(_ token: String = "to.ken") throws -> StandInDaemon {
        try StandInDaemon { _ in .result(["account": "work", "access_token": .string(token), "token_type": "Bearer"]) }
    }

    /// What a run became, if anything.
    private final class Becoming {
        var arguments: [String] = []
        var name = ""
        var environment: [String: String] = [:]
    }

    private static func surroundings(_ becoming: Becoming) -> Surroundings {
        var there = Surroundings()
        there.programs = ["glab": "/usr/bin/glab"]
        there.becoming = ENOEXEC
        there.became = { (becoming.arguments, becoming.name, becoming.environment) = ($0, $1, $2) }
        return there
    }

    @Test func `the token is in the environment and in no argument`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let becoming = Becoming()
        let there = Self.surroundings(becoming)
        let command = ["exec", "work", "--scope", "api", "--min-valid", "10m", "--", "glab", "issue", "--json"]
        let outcome = try there.run(command, daemon)
        #expect(becoming.arguments == ["/usr/bin/glab", "issue", "--json"])
        #expect(becoming.name == "glab")
        #expect(becoming.environment["ACCESS_TOKEN"] == "to.ken")
        #expect(becoming.environment["LANG"] == "C.UTF-8")
        #expect(daemon.requests.first?.params == ["account": "work", "scope": "api", "min_valid": 600])
        // Here, becoming it fails.
        #expect(outcome.code == 126)
        #expect(outcome.talk == "tokenctl: cannot run “glab”: Exec format error\n")
    }

    @Test func `the token may be for less, or for one resource`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let there = Self.surroundings(Becoming())
        let purpose = ["--scope", "api", "--narrow", "--resource", "urn:a", "--resource", "urn:b", "--audience", "x"]
        _ = try there.run(["exec", "work"] + purpose + ["--", "glab"], daemon)
        let expected: JSONObject = [
            "account": "work", "scope": "api", "narrow": true, "resource": ["urn:a", "urn:b"], "audience": "x",
        ]
        #expect(daemon.requests.first?.params == expected)
        #expect(try there.run(["exec", "work", "--narrow", "--", "glab"], daemon).code == 64)
    }

    @Test func `the variable may have another name`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let becoming = Becoming()
        let there = Self.surroundings(becoming)
        _ = try there.run(["exec", "--env", "GITLAB_TOKEN", "--", "glab"], daemon)
        #expect(becoming.environment["GITLAB_TOKEN"] == "to.ken")
        #expect(becoming.environment["ACCESS_TOKEN"] == nil)
        for name in ["1A", "A-B", "A=B", "É"] {
            #expect(try there.run(["exec", "--env", name, "--", "glab"], daemon).code == 64)
        }
    }

    @Test func `a program that is not there costs no token`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["exec", "work", "--", "glab"], daemon)
        #expect(outcome.code == 127)
        #expect(outcome.talk == "tokenctl: there is no program “glab”\n")
        #expect(daemon.methods.isEmpty)
    }

    @Test func `without a token nothing is run`() throws {
        let daemon = try StandInDaemon { _ in .error("login_required", code: -32002, data: ["account": "work"]) }
        defer { daemon.stop() }
        let becoming = Becoming()
        let outcome = try Self.surroundings(becoming).run(["exec", "work", "--", "glab"], daemon)
        #expect(outcome.code == 77)
        #expect(outcome.talk.contains("→ tokenctl login work"))
        #expect(becoming.arguments.isEmpty)
        let odd = try Self.daemon("a\u{0}b")
        defer { odd.stop() }
        #expect(try Self.surroundings(becoming).run(["exec", "--", "glab"], odd).code == 65)
    }
}
