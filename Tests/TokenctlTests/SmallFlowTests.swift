// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

@Suite struct SmallFlowTests {
    private func daemon(_ result: JSONObject) throws -> StandInDaemon {
        try StandInDaemon { _ in .result(result) }
    }

    @Test func `status is a table for people and the result itself for programs`() throws {
        let result: JSONObject = ["daemon": [:], "accounts": [["account": "a", "state": "signed_out", "novel": 1]]]
        let daemon = try daemon(result)
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["status"], daemon)
        #expect(outcome.code == 1)
        #expect(outcome.output.contains("→ tokenctl login a\n"))
        let document = try Surroundings().run(["status", "a", "--json"], daemon)
        #expect(document.code == 1)
        #expect(document.json == result)
        #expect(daemon.requests.map(\.params) == [[:], ["account": "a"]])
    }

    @Test func `logout says what became of the grant`() throws {
        let daemon = try daemon([
            "revoked": false, "revocation_fault": "no answer", "removal_pending": true,
            "removal_fault": "a restart undoes it: no space",
        ])
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["logout", "a"], daemon)
        #expect(outcome.code == 0)
        #expect(
            outcome.talk == """
                Signed out of a here.
                The provider has not revoked the grant: no answer
                The secret store is locked; its entry goes at the next unlock (tokenctl unlock).
                Unlock it now: a restart undoes it: no space

                """
        )
    }

    @Test func `a store that is away is not called locked, and nobody is said to have been signed in`() throws {
        let daemon = try daemon(["revoked": false, "removal_pending": true, "removal_store": "unavailable"])
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["account", "remove", "a"], daemon)
        #expect(
            outcome.talk == """
                a is signed out here; the secret store cannot be reached now.
                What it may hold of a goes as soon as it can be.
                The account a is removed.

                """
        )
    }

    @Test func `the provider's own logout gets the daemon's page, and no token is in an argument (LOGOUT-1)`() throws {
        let daemon = try daemon(["revoked": true, "end_session_url": "http://127.0.0.1:4711/sign-out/x"])
        defer { daemon.stop() }
        let browser = try StandInBrowser()
        defer { browser.remove() }
        var there = Surroundings()
        there.environment["BROWSER"] = "browser"
        there.programs = ["browser": browser.path]
        let outcome = try there.run(["logout", "a", "--end-session"], daemon)
        #expect(outcome.code == 0)
        #expect(browser.page() == "http://127.0.0.1:4711/sign-out/x")
        #expect(outcome.talk.contains("  http://127.0.0.1:4711/sign-out/x\n"))
        #expect(daemon.requests.map(\.params) == [["account": "a", "end_session": true]])
        #expect(try there.run(["logout", "a", "--no-browser"], daemon).code == 64)
    }

    @Test func `where the provider has no logout of its own, that is said`() throws {
        let daemon = try daemon(["revoked": true, "end_session_fault": "it offers none"])
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["logout", "a", "--end-session"], daemon)
        #expect(
            outcome.talk == """
                Signed out of a; the provider revoked the grant.
                The provider's own session goes on: it offers none

                """
        )
    }

    @Test func `where nobody was signed in, logout says so`() throws {
        let daemon = try daemon(["revoked": false])
        defer { daemon.stop() }
        #expect(try Surroundings().run(["logout", "a"], daemon).talk == "Nobody was signed in to a.\n")
        #expect(try Surroundings().run(["logout", "a", "--keep-grant"], daemon).talk == "Signed out of a here.\n")
    }

    @Test func `logout --all signs every account out`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "account.list" ? .result(["accounts": ["a", "b"]]) : .result(["revoked": true])
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["logout", "--all", "--keep-grant"], daemon)
        #expect(outcome.code == 0)
        #expect(
            daemon.requests.map(\.params) == [
                [:], ["account": "a", "revoke": false], ["account": "b", "revoke": false],
            ]
        )
        #expect(try Surroundings().run(["logout", "a", "--all"], daemon).code == 64)
    }

    @Test func `logout --all goes on after a refusal, tells each, and ends with the first one's code`() throws {
        let daemon = try StandInDaemon { request in
            switch request.params["account"]?.string {
            case nil: .result(["accounts": ["a", "b", "c", "d"]])
            case "b": .error("config_invalid", code: -32012, data: ["account": "b"], message: "b.json5 has a fault")
            case "c": .error("internal_error", code: -32603, message: "it broke")
            default: .result(["revoked": true])
            }
        }
        defer { daemon.stop() }
        let told = try Surroundings().run(["logout", "--all"], daemon)
        #expect(told.code == 78)
        #expect(
            told.talk == """
                Signed out of a; the provider revoked the grant.
                b is not signed out: b.json5 has a fault
                c is not signed out: it broke
                  → tokenctl status c
                Signed out of d; the provider revoked the grant.

                """
        )
        let printed = try Surroundings().run(["logout", "--all", "--json"], daemon)
        #expect(printed.code == 78 && printed.talk == "")
        let accounts = printed.json?["accounts"]?.array ?? []
        #expect(accounts.compactMap { $0.object?["account"]?.string } == ["a", "b", "c", "d"])
        #expect(accounts[0] == ["revoked": true, "account": "a"])
        let faults = accounts.map { $0.object?["error"]?.object }
        #expect(faults[1]?["message"] == "b.json5 has a fault")
        #expect(faults[1]?["data"]?.object?["kind"] == "config_invalid")
        #expect(faults[2]?["code"] == -32603)
    }

    @Test func `reload tells the faults and ends as config_invalid does`() throws {
        let fault: JSONObject = ["file": "a.json5", "line": 2, "member": "issuer", "message": "must be a URL"]
        let faulty = try daemon(["state": "faults", "faults": [.object(fault)]])
        defer { faulty.stop() }
        let outcome = try Surroundings().run(["reload"], faulty)
        #expect(outcome.code == 78)
        #expect(outcome.talk.hasPrefix("a.json5:2: issuer: must be a URL\n"))
        let well = try daemon(["state": "ok", "faults": []])
        defer { well.stop() }
        #expect(try Surroundings().run(["reload"], well).code == 0)
    }

    @Test func `background work is steered for one account or all`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "account.list" ? .result(["accounts": ["only"]]) : .result([:])
        }
        defer { daemon.stop() }
        #expect(try Surroundings().run(["refresh"], daemon).talk == "Fetched a fresh token for only.\n")
        #expect(try Surroundings().run(["pause"], daemon).talk == "Background refreshes are paused for all accounts.\n")
        #expect(try Surroundings().run(["resume", "a"], daemon).talk == "Background refreshes continue for a.\n")
        #expect(daemon.methods == ["account.list", "account.refresh", "account.pause", "account.resume"])
    }

    @Test func `unlock tells whether the store is open`() throws {
        let open = try daemon(["state": "ready"])
        defer { open.stop() }
        #expect(try Surroundings().run(["unlock"], open).code == 0)
        let locked = try daemon(["state": "locked"])
        defer { locked.stop() }
        #expect(try Surroundings().run(["unlock"], locked).code == 75)
    }

    @Test func `version answers with and without a daemon`() throws {
        #expect(try Surroundings().run(["version"]).output == "tokenctl \(Program.version)\ntokend   not running\n")
        let daemon = try daemon(["name": "tokend", "version": "9.9", "protocol": 1])
        defer { daemon.stop() }
        #expect(
            try Surroundings().run(["version"], daemon).output
                == "tokenctl \(Program.version)\ntokend   9.9 (protocol 1)\n"
        )
        #expect(
            try Surroundings().run(["--version", "--json"], daemon).code == 0
        )
    }

    @Test func `a usage error costs no connection`() throws {
        let daemon = try daemon([:])
        defer { daemon.stop() }
        for arguments in [[], ["stauts"], ["token", "--format", "x"], ["token", "--min-valid", "soon"]] {
            #expect(try Surroundings().run(arguments, daemon).code == 64)
        }
        #expect(daemon.methods.isEmpty)
    }
}
