// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import tokenctl

@Suite struct AccountImportTests {
    private static let result: JSONObject = [
        "account": "work", "identity": "a@b.c", "scope": "openid", "renewable": true,
    ]

    private func daemon() throws -> StandInDaemon {
        try StandInDaemon { _ in .result(Self.result) }
    }

    @Test func `a refresh token comes on stdin and is shown nowhere`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings()
        there.input = "r3fresh\n"
        let outcome = try there.run(["account", "import", "work", "--scope", "openid", "email"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output == "")
        #expect(outcome.talk == "Signed in to work as a@b.c.\n")
        #expect(daemon.methods == ["status", "account.import"])
        #expect(
            daemon.requests.last?.params == [
                "account": "work", "refresh_token": "r3fresh", "scope": "openid email",
            ]
        )
        #expect(try there.run(["account", "import", "work", "--json"], daemon).json == Self.result)
    }

    @Test func `a refresh token may lie in a file`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let file = try TemporaryFile("from a file\n")
        let outcome = try Surroundings().run(["account", "import", "work", "--refresh-token-file", file.path], daemon)
        #expect(outcome.code == 0)
        #expect(daemon.requests.last?.params["refresh_token"] == "from a file")
        let missing = try Surroundings().run(["account", "import", "work", "--refresh-token-file", "/no/file"], daemon)
        #expect(missing.code == 66)
    }

    @Test func `at a terminal it is asked for`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        there.input = "  r3fresh \n"
        let outcome = try there.run(["account", "import", "work"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.talk.hasPrefix("Paste the refresh token, then Enter (it is not shown):"))
        #expect(daemon.requests.last?.params["refresh_token"] == "r3fresh")
        there.input = ""
        #expect(try there.run(["account", "import", "work"], daemon).code == 65)
    }

    @Test func `an account that is not there is told before the token is asked for`() throws {
        let daemon = try StandInDaemon { _ in .error("account_unknown", code: -32001, data: ["accounts": ["work"]]) }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["account", "import", "wrok"], daemon)
        #expect(outcome.code == 64)
        #expect(outcome.talk.hasSuffix("→ tokenctl account import work\n"))
        #expect(daemon.methods == ["status"])
    }

    @Test func `a token is no argument`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        #expect(try Surroundings().run(["account", "import", "work", "r3fresh"], daemon).code == 64)
        #expect(try Surroundings().run(["account", "import", "work", "--refresh-token=x"], daemon).code == 64)
        #expect(daemon.methods.isEmpty)
    }

    @Test func `without a name the only account is meant`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "account.list" ? .result(["accounts": ["only"]]) : .result(Self.result)
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.input = "r\n"
        #expect(try there.run(["account", "import"], daemon).code == 0)
        #expect(daemon.requests.last?.params["account"] == "only")
    }
}
