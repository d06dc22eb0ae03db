// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// When the daemon refreshes by itself (docs/configuration.md, Refreshing; engine rules 15 and 17), by values.
@Suite(.timeLimit(.minutes(1))) struct PolicyTests {
    @Test(
        arguments: [
            (3600, 3300), (86_400, 86_100), (1000, 800), (200, 160), (120, 90), (60, 30), (40, 20), (20, 10), (5, 10),
        ] as [(Int64, Double)]
    )
    func `a token is renewed a fifth of its life ahead, 30 to 300 s, never before its half (engine rule 15)`(
        life: Int64,
        due: Double
    ) throws {
        #expect(try GrantStand(life: life).due == due)
    }

    @Test func `jitter widens the margin by a tenth at most (engine rule 15)`() throws {
        var stand = try GrantStand()
        _ = stand.machine.signedIn(stand.record("A1"), at: stand.now, random: 0.999)
        let due = try #require(stand.due)
        #expect((3270...3271).contains(due))
    }

    @Test func `a configured margin holds, up to half of the life`() throws {
        #expect(try GrantStand(life: 3600) { $0.margin = 600 }.due == 3000)
        #expect(try GrantStand(life: 3600) { $0.margin = 3000 }.due == 1800)
    }

    @Test func `on_demand: nothing by itself but what keeps the grant alive (engine rule 17)`() throws {
        #expect(try GrantStand { $0.policy = .onDemand }.due == 259_200)
        #expect(try GrantStand { ($0.policy, $0.keepAlive) = (.onDemand, 3600) }.due == 3600)
    }

    @Test func `active: ahead of the end while clients ask, and not otherwise`() throws {
        var stand = try GrantStand { $0.policy = .active }
        #expect(stand.due == 259_200)
        #expect(stand.ask() == .held("A1"))
        #expect(stand.due == 3300)
        stand.pass(3300)
        #expect(stand.timer().count == 1)
        stand.renew("A2")
        #expect(stand.due == 259_200)
        #expect(stand.ask() == .held("A2"))
        #expect(stand.due == 3300)
    }

    @Test func `keep_alive is half of the grant's own life where the provider states one (engine rule 17)`() throws {
        var stand = try GrantStand { $0.policy = .onDemand }
        var record = stand.record("A1")
        record.grantExpiresAt = stand.now.wall + 86_400
        _ = stand.machine.signedIn(record, at: stand.now, random: 0)
        #expect(stand.due == 43_200)
    }

    @Test func `keep_alive counts from the last use, whatever restarts came between (engine rule 17)`() throws {
        var stand = try GrantStand { $0.policy = .onDemand }
        var record = stand.record("A1")
        record.refreshedAt = stand.now.wall - 200_000
        _ = stand.machine.beginLoad()
        _ = stand.machine.loaded(record, isHeldBack: false, at: stand.now, random: 0)
        #expect(stand.due == 59_200)
        record.refreshedAt = stand.now.wall - 300_000
        _ = stand.machine.loaded(record, isHeldBack: false, at: stand.now, random: 0.5)
        #expect(stand.due == 15)
    }

    @Test(
        arguments: [
            // A long-lived token that ends within a day; one that does not; a short one by its margin.
            (100_000, 20_000, 15.0), (100_000, 0, 99_700.0), (3600, 1000, 2300.0), (3600, 3400, 15.0),
        ] as [(Int64, Int64, Double)]
    )
    func `at start, a long-lived token that ends within a day is renewed, others by their margin (at_start_within)`(
        life: Int64,
        age: Int64,
        due: Double
    ) throws {
        var stand = try GrantStand()
        var record = GrantRecord.signedIn(stand.account, at: stand.now, expiresIn: life, age: age)
        record.refreshedAt = stand.now.wall
        _ = stand.machine.loaded(record, isHeldBack: false, at: stand.now, random: 0.5)
        // Half of the jitter is taken from it.
        let jitter = due > 15 ? min(300, max(30, Double(life / 5))) / 20 : 0
        #expect(abs(try #require(stand.due) - (due - jitter)) < 0.001)
    }

    @Test(arguments: [(22, 4), (22, 20), (60, 40), (20, 1)] as [(Int64, Int64)])
    func `at start, the spread leaves a short token's renewal before its end (engine rule 11)`(
        life: Int64,
        age: Int64
    ) throws {
        var stand = try GrantStand()
        let record = GrantRecord.signedIn(stand.account, at: stand.now, expiresIn: life, age: age)
        _ = stand.machine.loaded(record, isHeldBack: false, at: stand.now, random: 0.999)
        #expect(try #require(stand.due) < Double(life - age))
        stand.machine.timeJumped(at: stand.now, random: 0.999)
        #expect(try #require(stand.due) < Double(life - age))
    }

    @Test(arguments: [RefreshSettings.Policy.active, .onDemand])
    func `at start, a grant that nobody asks for is left alone (at_start_within)`(policy: RefreshSettings.Policy) throws
    {
        var stand = try GrantStand { $0.policy = policy }
        let record = GrantRecord.signedIn(stand.account, at: stand.now, expiresIn: 100_000, age: 20_000)
        _ = stand.machine.loaded(record, isHeldBack: false, at: stand.now, random: 0.5)
        #expect(stand.due == 239_200)
    }

    @Test func `no refresh token is used twice within ten seconds by the daemon itself (engine rule 15)`() throws {
        var stand = try GrantStand(life: 1, age: 1)
        #expect(stand.ask() == .wait)
        stand.renew("A2", life: 1)
        #expect(stand.due == 10)
    }

    @Test func `paused, held back and without a configuration, nothing is due`() throws {
        var stand = try GrantStand()
        stand.machine.isPaused = true
        #expect(stand.due == nil)
        stand.machine.isPaused = false
        stand.machine.isDisabled = true
        #expect(stand.due == nil)
        stand.machine.isDisabled = false
        stand.machine.reconfigured(settings: stand.account.refresh, isHeldBack: true)
        #expect(stand.due == nil)
        stand.machine.reconfigured(settings: stand.account.refresh, isHeldBack: false)
        #expect(stand.due == 3300)
    }

    @Test func `a timer that a sleep kept is spread over half a minute (engine rules 11, 19)`() throws {
        var stand = try GrantStand()
        stand.pass(3300 + 61)
        #expect(stand.timer(random: 0.5).isEmpty)
        #expect(stand.due == 15)
        stand.pass(15)
        #expect(stand.timer(random: 0.5).count == 1)
    }
}
