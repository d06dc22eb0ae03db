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

/// Steps of the wall clock, sleeps of the machine and restarts (engine rules 11 and 13; field failures C1, C2, E).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ClockTests {
    @LoopActor @Test func `a wall clock that is set back makes no token live longer (E)`() async throws {
        let world = await World.signedIn(try .plain().refreshing { $0.policy = .onDemand }, age: 0)
        world.clock.stepWall(by: -86_400)
        world.broker.timeJumped()
        #expect(try world.get().answer?.get().token.remaining(at: world.clock.now) == 3600)
        await world.clock.advance(by: .seconds(3600))
        #expect(try world.get().answer == nil)
    }

    @LoopActor @Test func `a wall clock that jumps past a token's end is believed at the next serve (C1)`() async throws
    {
        let world = await World.signedIn(try .plain(), age: 0)
        world.clock.stepWall(by: 18_000)
        let call = try world.get()
        #expect(call.answer == nil)
        await world.transport.next().answer(.token("A2"))
        #expect(await call.token() == "A2")
        #expect(try world.get().answer?.get().token.accessToken == Secret("A2"))
    }

    @LoopActor @Test func `a wall clock that jumps ahead brings the refresh forward, spread (engine rule 11)`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 0)
        world.transport.script = { _ in .success(.token("A2")) }
        world.clock.stepWall(by: 18_000)
        world.broker.timeJumped()
        await world.clock.advance(by: .seconds(14))
        #expect(world.transport.requests.isEmpty)
        await world.clock.advance(by: .seconds(1))
        #expect(world.transport.requests.count == 1)
        await world.clock.advance(by: .seconds(3000))
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor @Test func `a wall clock that jumps ahead and back brings nothing forward (engine rule 11)`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 0)
        world.clock.stepWall(by: 18_000)
        world.broker.timeJumped()
        world.clock.stepWall(by: -18_000)
        world.broker.timeJumped()
        await world.clock.advance(by: .seconds(3000))
        #expect(world.transport.requests.isEmpty)
    }

    @LoopActor @Test func `after a sleep no token that is over is served, and the refresh waits a moment (C1, C2)`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 0)
        await world.clock.suspend(for: .seconds(18_000))
        world.broker.timeJumped()
        await settle()
        #expect(world.transport.requests.isEmpty)
        await world.clock.advance(by: .seconds(15))
        #expect(world.transport.requests.count == 1)
        let call = try world.get()
        #expect(call.answer == nil)
        await world.transport.next().answer(.token("A2"))
        #expect(await call.token() == "A2")
    }

    @LoopActor @Test func `a token that is over when its answer is read after a sleep is not served (C1)`() async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        let exchange = await world.transport.next()
        await world.clock.suspend(for: .seconds(7200))
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(call.answer == nil)
        await world.transport.next().answer(.token("A3", refresh: "R3"))
        #expect(await call.token() == "A3")
    }

    @LoopActor @Test func `after a sleep a client does not wait for the spread (C1)`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        await world.clock.suspend(for: .seconds(18_000))
        _ = try world.get()
        await settle()
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor @Test func `a refresh that fails in a short wake is passing, and is tried again (C2)`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        world.transport.script = { _ in .failure(.test(.resolve, mayHaveBeenSent: false)) }
        await world.clock.suspend(for: .seconds(18_000))
        await world.clock.advance(by: .seconds(40))
        #expect(!world.log.refreshFailures.isEmpty)
        #expect(world.log.endings.isEmpty)
        world.transport.script = { _ in .success(.token("A2")) }
        world.broker.timeJumped()
        await world.clock.advance(by: .seconds(31))
        #expect(await (try world.get()).token() == "A2")
    }

    @LoopActor @Test func `a held token from the store ages while no daemon runs`() async throws {
        let world = await World.signedIn(try .plain().refreshing { $0.policy = .onDemand }, age: 1000)
        #expect(try world.get().answer?.get().token.remaining(at: world.clock.now) == 2600)
        await world.clock.suspend(for: .seconds(2000))
        await world.restart()
        #expect(try world.get().answer?.get().token.remaining(at: world.clock.now) == 600)
        await world.clock.advance(by: .seconds(595))
        #expect(try world.get().answer == nil)
    }

    @LoopActor @Test func `a token from the future is not believed and is renewed once (engine rule 13)`() async throws
    {
        let world = await World.signedIn(try .plain(), age: -90_000)
        world.transport.script = { _ in .success(.token("A2")) }
        await world.clock.advance(by: .seconds(31))
        #expect(world.transport.requests.count == 1)
        #expect(await (try world.get()).token() == "A2")
    }

    @LoopActor @Test(arguments: [Int64.max, 631_138_518, 1_000_000_000_000_000_000])
    func `a life beyond all bounds is no trap (engine rule 14)`(life: Int64) async throws {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(.token("A2", expiresIn: life))
        #expect(await call.token() == "A2")
        await world.restart()
        world.clock.stepWall(by: -1_000_000)
        world.broker.timeJumped()
        #expect(try world.get(TokenDemand(minValid: .max)).answer != nil)
    }
}
