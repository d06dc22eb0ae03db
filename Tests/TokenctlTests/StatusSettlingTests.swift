// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

@Suite struct StatusSettlingTests {
    private static func status(_ state: String, fault: JSONObject? = nil) -> StandInDaemon.Answer {
        var account: JSONObject = ["account": "a", "state": .string(state), "expires_at": 2_000_000]
        account["fault"] = fault.map { .object($0) }
        return .result(["daemon": [:], "accounts": [.object(account)]])
    }

    @Test func `a daemon whose store has not answered yet is waited for`() throws {
        let isAnswered = Flag()
        let daemon = try StandInDaemon { request in
            if request.method == "events.subscribe" { return .subscription([["type": "store_unlocked", "at": 1]]) }
            // Unknown for the first two times.
            return Self.status(isAnswered.isRaised ? "ready" : isAnswered.raise() ? "unknown" : "ready")
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["status"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output.contains("ready"))
        #expect(daemon.methods == ["status", "events.subscribe", "status"])
    }

    @Test func `it is asked anew also where no event tells of the answer`() throws {
        let asked = Flag()
        let subscribed = Flag()
        let daemon = try StandInDaemon { request in
            if request.method == "events.subscribe" {
                subscribed.raise()
                return .subscription([])
            }
            guard subscribed.isRaised else { return Self.status("unknown") }
            return Self.status(asked.raise() ? "unknown" : "signed_out")
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["status", "a"], daemon)
        #expect(outcome.code == 1)
        #expect(outcome.output.contains("signed out"))
        #expect(daemon.methods == ["status", "events.subscribe", "status", "status"])
        #expect(daemon.requests.last?.params == ["account": "a"])
    }

    @Test func `a store that does not answer is waited for two seconds`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "events.subscribe" ? .subscription([]) : Self.status("unknown")
        }
        defer { daemon.stop() }
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = try Surroundings().run(["status"], daemon)
        #expect(outcome.output.contains("not known yet"))
        let took = start.duration(to: clock.now)
        #expect(took >= .milliseconds(1990) && took < .seconds(10))
    }

    @Test func `a store that cannot be had is not waited for`() throws {
        let daemon = try StandInDaemon { _ in
            Self.status("unknown", fault: ["kind": "store_unavailable", "message": "no keyring", "at": 1])
        }
        defer { daemon.stop() }
        #expect(try Surroundings().run(["status"], daemon).output.contains("no keyring"))
        #expect(daemon.methods == ["status"])
    }

    @Test func `a daemon without events is taken at its first word`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "status" ? Self.status("unknown") : .notThere()
        }
        defer { daemon.stop() }
        #expect(try Surroundings().run(["status"], daemon).code == 1)
        #expect(daemon.methods == ["status", "events.subscribe"])
    }
}
