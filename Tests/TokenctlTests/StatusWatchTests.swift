// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

@Suite struct StatusWatchTests {
    private static func status(_ state: String) -> StandInDaemon.Answer {
        .result(["daemon": [:], "accounts": [["account": "a", "state": .string(state)]]])
    }

    /// A daemon without events; Ctrl-C is pressed when it is asked for the second time.
    private static func withoutEvents(until ctrlC: CtrlC) throws -> StandInDaemon {
        let asked = Flag()
        return try StandInDaemon { request in
            if request.method == "events.subscribe" { return .notThere() }
            if !asked.raise() { ctrlC.press() }
            return status("ready")
        }
    }

    @Test func `an event draws the status anew, and Ctrl-C ends it`() throws {
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        let drawn = Flag()
        let daemon = try StandInDaemon { request in
            if request.method == "events.subscribe" { return .subscription([["type": "login_finished", "at": 1]]) }
            if drawn.raise() { return Self.status("signed_out") }
            ctrlC.press()
            return Self.status("ready")
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.interruption = ctrlC.interruption
        let outcome = try there.run(["status", "--watch", "--json"], daemon)
        #expect(outcome.code == 130)
        #expect(outcome.talk == "")
        #expect(daemon.methods == ["events.subscribe", "status", "status"])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first?.contains("signed_out") == true)
    }

    @Test func `without events it asks again by itself`() throws {
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        let daemon = try Self.withoutEvents(until: ctrlC)
        defer { daemon.stop() }
        var there = Surroundings()
        there.interruption = ctrlC.interruption
        let outcome = try there.run(["status", "--watch"], daemon)
        #expect(outcome.code == 130 && !outcome.output.contains("Ctrl-C"))
        #expect(daemon.methods == ["events.subscribe", "status", "status"])
    }

    @Test func `at a terminal it says how it ends`() throws {
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        let daemon = try Self.withoutEvents(until: ctrlC)
        defer { daemon.stop() }
        var there = Surroundings()
        there.outputIsTerminal = true
        there.interruption = ctrlC.interruption
        #expect(try there.run(["status", "--watch"], daemon).output.contains("\u{1B}[K\nCtrl-C ends.\u{1B}[K\n"))
    }

    @Test func `where no daemon is it does not wait for one`() throws {
        #expect(try Surroundings().run(["status", "--watch"]).code == 69)
    }

    @Test func `a daemon that goes away is waited for`() throws {
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        let shown = Flag()
        let daemon = try StandInDaemon { request in
            if request.method == "events.subscribe" {
                return shown.isRaised ? .subscription([]) : .subscription([["type": "store_locked", "at": 1]])
            }
            if shown.raise() { return Self.status("ready") }
            ctrlC.press()
            return .hangUp
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.interruption = ctrlC.interruption
        #expect(try there.run(["status", "--watch"], daemon).code == 130)
    }
}
