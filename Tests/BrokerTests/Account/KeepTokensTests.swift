// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing

@testable import Broker

/// What a planned stop still writes, and how long it takes at most.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct KeepTokensTests {
    /// Ten accounts whose last renewal did not rotate: the store lacks their tokens.
    @LoopActor private func ten() async throws -> World {
        let names = (0..<10).map { "a\($0)" }
        let world = World(try names.map { try .plain($0) })
        for name in names {
            let account = try AccountConfiguration.plain(name)
            var record = GrantRecord.signedIn(account, at: world.clock.now, age: 3600)
            record.rotates = false
            world.store.put(record.item(for: account))
        }
        world.transport.script = { _ in .success(.token("A2")) }
        await world.start()
        for name in names { _ = try world.get(of: name) }
        await settle()
        #expect(world.store.writeCount == 0)
        return world
    }

    /// A stop's last work, and whether it has ended.
    @LoopActor private final class Keeping {
        private(set) var hasEnded = false

        init(_ world: World) {
            world.broker.stop()
            Task.onLoop { [self] in
                await world.broker.keepTokens(within: .seconds(10))
                hasEnded = true
            }
        }
    }

    @LoopActor @Test func `all are written where the store answers`() async throws {
        let world = try await ten()
        let keeping = Keeping(world)
        await settle()
        #expect(keeping.hasEnded && world.store.writeCount == 10)
    }

    @LoopActor @Test(arguments: [MemoryCredentialStore.locked, MemoryCredentialStore.unavailable])
    func `a store that is shut or away is asked once`(fault: StoreError) async throws {
        let world = try await ten()
        world.store.fault = fault
        let keeping = Keeping(world)
        await settle()
        #expect(keeping.hasEnded && world.store.writeCount == 1)
    }

    @LoopActor @Test func `a store that never answers holds a stop up for ten seconds in all`() async throws {
        let world = try await ten()
        world.store.held = [.write]
        let keeping = Keeping(world)
        await world.store.holding()
        await world.clock.advance(by: .milliseconds(9_900))
        #expect(!keeping.hasEnded)
        await world.clock.advance(by: .milliseconds(200))
        #expect(keeping.hasEnded && world.store.writeCount == 1)
        world.store.release()
        await settle()
    }

    @LoopActor @Test func `a refresh token that only the daemon has goes first`() async throws {
        let world = try await ten()
        world.transport.script = nil
        _ = try world.get(.fresh, of: "a7")
        let exchange = await world.transport.next()
        world.store.faults[.write] = [MemoryCredentialStore.unavailable]
        exchange.answer(.token("A3", refresh: "R3"))
        await settle()
        #expect(world.broker.isRefreshing)
        let before = world.store.written.count
        let keeping = Keeping(world)
        await settle()
        #expect(keeping.hasEnded && world.store.written[before].account == "a7")
        #expect(world.store.member("refresh_token", of: "a7")?.string == "R3")
    }
}
