// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Days and weeks of a daemon's life, counted.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LongRunTests {
    @LoopActor private func fifty(age: Int64) async throws -> World {
        let names = (0..<50).map { "a\($0)" }
        let world = World(try names.map { try .plain($0) })
        for name in names {
            let account = try AccountConfiguration.plain(name)
            world.store.put(GrantRecord.signedIn(account, at: world.clock.now, age: age).item(for: account))
        }
        world.entropy.rolls = (0..<50).map { Double($0) / 50 }
        await world.start()
        return world
    }

    @LoopActor @Test func `a provider that is away for a week is asked with back-off, not in a loop (B10, B5)`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 0)
        world.transport.script = { _ in .failure(.test(.connect, mayHaveBeenSent: false)) }
        await world.clock.advance(by: .seconds(7 * 86_400))
        // Every 15 min at the longest, half of it on average.
        #expect((1340...1400).contains(world.transport.requests.count))
        #expect(world.store.writeCount == 1)
        #expect(world.log.endings.isEmpty)
        world.transport.script = { _ in .success(.token("A2", refresh: "R2")) }
        await world.clock.advance(by: .seconds(900))
        #expect(await (try world.get()).token() == "A2")
    }

    @LoopActor @Test func `impatient clients of an absent provider cost it one try in 5 s`() async throws {
        let world = await World.signedIn(try .plain())
        world.transport.script = { _ in .failure(.test(.connect, mayHaveBeenSent: false)) }
        for _ in 0..<600 {
            _ = try world.get()
            await world.clock.advance(by: .milliseconds(100))
        }
        #expect(world.transport.requests.count <= 18)
    }

    @LoopActor @Test func `a month of a grant that nobody asks for costs what keeps it alive (engine rule 17)`()
        async throws
    {
        let world = await World.signedIn(try .plain().refreshing { $0.policy = .onDemand }, age: 0)
        world.transport.script = { _ in .success(.token("A2")) }
        await world.clock.advance(by: .seconds(30 * 86_400))
        #expect(world.transport.requests.count == 10)
        // Once a day it is looked at again (engine rule 14).
        #expect(world.clock.firings == 30)
    }

    @LoopActor @Test
    func `no timer is set further ahead than a day, and a token of years costs nothing (engine rule 14)`() async throws
    {
        let life: Int64 = 10 * 365 * 86_400
        let world = await World.signedIn(try .plain().refreshing { $0.keepAlive = 31_536_000 }, age: 0) { record in
            record.token?.lifetime = .seconds(life)
            record.grantExpiresAt = HandClock.start.wall + life
            record.isEndFixed = true
        }
        for _ in 0..<30 {
            let latest = world.clock.now.boot.advanced(by: .seconds(86_400))
            #expect(world.clock.scheduled.count == 2 && world.clock.scheduled.allSatisfy { $0 <= latest })
            await world.clock.advance(by: .seconds(86_400))
        }
        #expect(world.transport.requests.isEmpty && world.clock.firings <= 60)
    }

    @LoopActor @Test func `a wall clock that drifts is noticed within a day (engine rule 14)`() async throws {
        let world = await World.signedIn(try .plain().refreshing { $0.keepAlive = 31_536_000 }, age: 0) {
            $0.token?.lifetime = .seconds(10 * 86_400)
        }
        world.transport.script = { _ in .success(.token("A2", expiresIn: 10 * 86_400)) }
        // Nobody is told of steps that are so small.
        for _ in 0..<8 {
            await world.clock.advance(by: .seconds(86_400))
            world.clock.stepWall(by: 50)
        }
        #expect(world.transport.requests.isEmpty)
        let due = try #require(try world.account().status.refreshAt)
        #expect(abs(due - (HandClock.start.wall + 10 * 86_400 - 300)) <= 100)
    }

    @LoopActor @Test func `a day of policy always costs one wake-up a refresh, and nothing else`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        world.transport.script = { _ in .success(.token("A2")) }
        await world.clock.advance(by: .seconds(86_400))
        #expect((26...27).contains(world.transport.requests.count))
        #expect(world.clock.firings == world.transport.requests.count)
        #expect(world.clock.scheduled.count == 1)
    }

    @LoopActor @Test func `fifty accounts whose tokens are over are spread over half a minute (engine rule 19)`()
        async throws
    {
        let world = try await fifty(age: 3600)
        world.transport.script = { _ in .success(.token("A2")) }
        var counts: [Int] = []
        for _ in 0..<30 {
            let before = world.transport.requests.count
            await world.clock.advance(by: .seconds(1))
            counts.append(world.transport.requests.count - before)
        }
        #expect(world.transport.requests.count == 50)
        #expect(counts.max() ?? 0 <= 4)
    }

    @LoopActor @Test func `fifty accounts that a sleep made due are spread as well (engine rule 11)`() async throws {
        let world = try await fifty(age: 0)
        world.transport.script = { _ in .success(.token("A2")) }
        world.entropy.rolls = (0..<50).map { Double($0) / 50 }
        await world.clock.suspend(for: .seconds(36_000))
        #expect(world.transport.requests.count <= 1)
        await world.clock.advance(by: .seconds(15))
        #expect((20...30).contains(world.transport.requests.count))
        await world.clock.advance(by: .seconds(15))
        #expect(world.transport.requests.count == 50)
    }

    @LoopActor @Test func `tokens that live a second are no loop for the daemon (engine rule 15)`() async throws {
        let world = await World.signedIn(try .plain())
        world.transport.script = { _ in .success(.token("A2", expiresIn: 1)) }
        await world.clock.advance(by: .seconds(600))
        #expect(world.transport.requests.count <= 60)
    }
}
