// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Many clients, one grant.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct SingleFlightTests {
    @LoopActor @Test func `fifty callers cost one request, and all get its token (engine rule 1, B2)`() async throws {
        let world = await World.signedIn(try .plain())
        let calls = try (0..<50).map { number in
            try world.get([TokenDemand(), .fresh, .rejected("A1"), TokenDemand(minValid: 7200)][number % 4])
        }
        await world.transport.next().answer(.token("A2", refresh: "R2"))
        for call in calls {
            let served = try await call.ended().get()
            #expect(served.token.accessToken == Secret("A2"))
            #expect(served.refreshed)
        }
        #expect(world.transport.requests.count == 1)
        #expect(world.store.writeCount == 2)
    }

    @LoopActor @Test func `callers that come while the answer is being stored wait for it, too (engine rules 1, 4)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let first = try world.get()
        let exchange = await world.transport.next()
        world.store.held = [.write]
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        let second = try world.get()
        #expect(second.answer == nil)
        world.store.release()
        #expect(await first.token() == "A2")
        #expect(await second.token() == "A2")
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor @Test func `a failure is everyone's, and costs one request (engine rule 1)`() async throws {
        let world = await World.signedIn(try .plain())
        let calls = try (0..<50).map { _ in try world.get() }
        await world.transport.next().answer(.page(status: 502))
        for call in calls { #expect(await call.failure()?.kind == .providerUnreachable) }
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor @Test func `callers before the first read of the store wait for it`() async throws {
        let world = World([try .plain()])
        world.store.put(GrantRecord.signedIn(try .plain(), at: world.clock.now).item(for: try .plain()))
        world.store.held = [.read]
        world.broker.start()
        let calls = try (0..<3).map { _ in try world.get() }
        await settle()
        #expect(calls.allSatisfy { $0.answer == nil })
        world.store.release()
        for call in calls { #expect(await call.token() == "A1") }
        #expect(world.store.calls[.read] == 1)
    }

    @LoopActor @Test func `accounts do not wait for each other`() async throws {
        let world = World([try .plain("a"), try .plain("b")])
        for name in ["a", "b"] {
            let account = try AccountConfiguration.plain(name)
            world.store.put(GrantRecord.signedIn(account, at: world.clock.now, age: 3600).item(for: account))
        }
        await world.start()
        _ = try world.get(of: "a")
        let slow = await world.transport.next()
        let call = try world.get(of: "b")
        await world.transport.next().answer(.token("B2"))
        #expect(await call.token() == "B2")
        slow.answer(.token("A2"))
    }
}
