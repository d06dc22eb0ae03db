// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// A network that goes and comes (engine rule 19; field failures C2, B10).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct NetworkTests {
    /// A world whose token is over and whose provider has not been reached for an hour.
    @LoopActor private func away(_ code: TransportError.Code = .resolve) async throws -> World {
        let world = await World.signedIn(try .plain())
        world.entropy.random = 0.99
        world.transport.script = { _ in .failure(.test(code, mayHaveBeenSent: false)) }
        await world.clock.advance(by: .seconds(5400))
        return world
    }

    @LoopActor @Test(arguments: [TransportError.Code.resolve, .connect, .timeout, .tls])
    func `a network that comes is tried at once, however long the back-off had grown (engine rule 19)`(
        code: TransportError.Code
    ) async throws {
        let world = try await away(code)
        let before = world.transport.requests.count
        await world.clock.advance(by: .seconds(10))
        #expect(world.transport.requests.count == before)
        world.transport.script = { _ in .success(.token("A2")) }
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(5))
        #expect(world.transport.requests.count == before + 1)
        #expect(try world.get().answer?.get().token.accessToken.reveal() == "A2")
    }

    @LoopActor @Test func `after it the back-off starts small again`() async throws {
        let world = try await away()
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(5))
        let before = world.transport.requests.count
        await world.clock.advance(by: .seconds(2 + 4 + 8))
        #expect(world.transport.requests.count == before + 3)
    }

    @LoopActor @Test func `a network that comes and goes each second makes no loop of it (B10)`() async throws {
        let world = try await away()
        let before = world.transport.requests.count
        for _ in 0..<600 {
            world.broker.networkAppeared()
            await world.clock.advance(by: .seconds(1))
        }
        #expect(world.transport.requests.count - before <= 600 / 10 + 10 * 4)
    }

    @LoopActor @Test func `what the provider asked for is kept to (B9)`() async throws {
        let world = await World.signedIn(try .plain())
        world.transport.script = { _ in .success(.oauthError("slow_down", status: 429, headers: ["Retry-After": "600"]))
        }
        await world.clock.advance(by: .seconds(60))
        let before = world.transport.requests.count
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(500))
        #expect(world.transport.requests.count == before)
    }

    @LoopActor @Test func `where nothing had failed nothing is asked`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(600))
        #expect(world.transport.requests.isEmpty)
    }

    @LoopActor @Test func `what a person must mend is not tried by itself`() async throws {
        let world = await World.signedIn(try .plain())
        world.transport.script = { _ in .success(.oauthError("invalid_client", status: 401)) }
        await world.clock.advance(by: .seconds(60))
        let before = world.transport.requests.count
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(600))
        #expect(world.transport.requests.count == before)
    }

    @LoopActor @Test func `fifty accounts do not come at the same moment (engine rule 19)`() async throws {
        let names = (0..<50).map { "a\($0)" }
        let world = World(try names.map { try .plain($0) })
        for name in names {
            let account = try AccountConfiguration.plain(name)
            world.store.put(GrantRecord.signedIn(account, at: world.clock.now, age: 3600).item(for: account))
        }
        world.transport.script = { _ in .failure(.test(.resolve, mayHaveBeenSent: false)) }
        await world.start()
        world.entropy.random = 0.99
        await world.clock.advance(by: .seconds(5400))
        world.transport.script = { _ in .success(.token("A2")) }
        world.entropy.rolls = (0..<50).map { Double($0) / 50 }
        let before = world.transport.requests.count
        world.broker.networkAppeared()
        var counts: [Int] = []
        for _ in 0..<50 {
            let before = world.transport.requests.count
            await world.clock.advance(by: .milliseconds(100))
            counts.append(world.transport.requests.count - before)
        }
        #expect(world.transport.requests.count - before == 50)
        #expect(counts.max() ?? 0 <= 3)
    }
}
