// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// A grant that nobody asks for is renewed so that it does not die of idleness, and no more often than that (engine rule
/// 17).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct KeepAliveTests {
    private static let day: Int64 = 86_400

    /// Signed in just now at a provider that named a life of a day then; `life`: what its refreshes name.
    @LoopActor private func signedIn(
        _ policy: RefreshSettings.Policy = .onDemand,
        rotates: Bool = true,
        old: Bool = false,
        _ life: @escaping @LoopActor (HandClock) -> Int64?
    ) async throws -> World {
        let world = await World.signedIn(try .plain().refreshing { $0.policy = policy }, age: 0) { record in
            record.grantExpiresAt = HandClock.start.wall + Self.day
            if !old { record.grantLife = Self.day }
        }
        var round = 1
        world.transport.script = { [clock = world.clock] _ in
            round += 1
            var more: JSONObject = [:]
            more["refresh_token_expires_in"] = life(clock).map { .integer($0) }
            return .success(.token("A\(round)", refresh: rotates ? "R\(round)" : nil, more))
        }
        return world
    }

    @LoopActor @Test(arguments: [true, false], [true, false])
    func `a life that the sign-in names and no refresh repeats makes no loop (engine rule 17)`(
        rotates: Bool,
        old: Bool
    ) async throws {
        let world = try await signedIn(rotates: rotates, old: old) { _ in nil }
        await world.clock.advance(by: .seconds(3 * Self.day))
        // Every twelve hours at the most; where an older daemon signed in, every three days after the first.
        #expect((1...6).contains(world.transport.refreshes.count))
        #expect(try world.account().status.grantExpiresAt == nil || !rotates)
    }

    @LoopActor @Test(arguments: [RefreshSettings.Policy.active, .always])
    func `nor does it with any other policy (engine rule 17)`(policy: RefreshSettings.Policy) async throws {
        let world = try await signedIn(policy) { _ in nil }
        await world.clock.advance(by: .seconds(3 * Self.day))
        #expect(world.transport.refreshes.count <= (policy == .always ? 80 : 6))
    }

    @LoopActor @Test func `half of the life that was named last is kept to, although no refresh repeats it`()
        async throws
    {
        let world = try await signedIn { _ in nil }
        await world.clock.advance(by: .seconds(3 * Self.day))
        #expect(world.transport.refreshes.count == 6)
        await world.restart()
        await world.clock.advance(by: .seconds(Self.day))
        #expect(world.transport.refreshes.count == 8)
    }

    @LoopActor @Test(arguments: [true, false])
    func `an end that stays is not run up to in ever shorter steps (engine rule 18)`(rotates: Bool) async throws {
        let end = HandClock.start.wall + Self.day
        let world = try await signedIn(rotates: rotates) { max(1, end - $0.now.wall) }
        await world.clock.advance(by: .seconds(Self.day - 60))
        #expect(world.transport.refreshes.count == 1)
        #expect(try world.account().status.grantExpiresAt == end)
        await world.clock.advance(by: .seconds(2 * Self.day))
        #expect(world.transport.refreshes.count <= 2)
    }

    @LoopActor @Test func `an end that each refresh puts off is kept away (engine rule 17)`() async throws {
        let world = try await signedIn { _ in Self.day }
        await world.clock.advance(by: .seconds(3 * Self.day))
        #expect(world.transport.refreshes.count == 6)
        #expect(try world.account().status.grantExpiresAt == HandClock.start.wall + 4 * Self.day)
    }

    @LoopActor @Test func `two answers within a minute show nothing of an end's kind (engine rule 18)`() async throws {
        let world = try await signedIn { _ in Self.day }
        _ = await (try world.get(.fresh)).ended()
        await world.clock.advance(by: .seconds(30))
        _ = await (try world.get(.fresh)).ended()
        #expect(try world.account().grant.record?.isEndFixed == nil)
        let count = world.transport.refreshes.count
        await world.clock.advance(by: .seconds(Self.day))
        #expect(world.transport.refreshes.count == count + 2)
    }

    @LoopActor @Test func `an end that has passed without one is none`() async throws {
        let world = try await signedIn(.always, rotates: false) { _ in nil }
        await world.clock.advance(by: .seconds(Self.day - 3600))
        #expect(try world.account().status.grantExpiresAt == HandClock.start.wall + Self.day)
        await world.clock.advance(by: .seconds(2 * 3600))
        #expect(try world.account().status.grantExpiresAt == nil)
    }
}
