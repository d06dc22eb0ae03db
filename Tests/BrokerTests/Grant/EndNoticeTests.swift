// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// A user hears of a grant's end before it (engine rule 18).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct EndNoticeTests {
    private static let day: Int64 = 86_400

    /// A provider whose refresh tokens end ten days after the sign-in, whatever is refreshed.
    @LoopActor private func world(slides: Bool = false, days: Int64 = 10) async throws -> World {
        let end = HandClock.start.wall + days * Self.day
        let world = await World.signedIn(try .plain(), age: 0) { $0.grantExpiresAt = end }
        world.transport.script = { [clock = world.clock] _ in
            let left = slides ? days * Self.day : end - clock.now.wall
            return .success(
                .json([
                    "access_token": "A2", "token_type": "Bearer", "expires_in": 3600,
                    "refresh_token_expires_in": .integer(left),
                ])
            )
        }
        return world
    }

    @LoopActor @Test func `three days and one day before a fixed end, once each (engine rule 18)`() async throws {
        let world = try await world()
        await world.clock.advance(by: .seconds(7 * Self.day - 3600))
        #expect(world.notices.isEmpty)
        #expect(try world.account().status.grantEnding == nil)
        await world.clock.advance(by: .seconds(7200))
        #expect(world.notices.count == 1)
        #expect(try world.account().status.grantEnding == true)
        await world.clock.advance(by: .seconds(2 * Self.day - 7200))
        #expect(world.notices.count == 1)
        await world.clock.advance(by: .seconds(7200))
        #expect(world.notices.count == 2)
        await world.clock.advance(by: .seconds(Self.day - 7200))
        #expect(world.notices.count == 2)
        let end = HandClock.start.wall + 10 * Self.day
        #expect(world.notices.allSatisfy { abs($0 - end) <= 60 })
    }

    @LoopActor @Test func `an end that each refresh puts off is none (engine rule 18)`() async throws {
        let world = try await world(slides: true, days: 2)
        await world.clock.advance(by: .seconds(20 * Self.day))
        #expect(world.notices.isEmpty)
        #expect(try world.account().status.grantEnding == nil)
    }

    @LoopActor @Test func `a grant that lives two days in all gets the last notice alone`() async throws {
        let world = try await world(days: 2)
        await world.clock.advance(by: .seconds(2 * Self.day - 60))
        #expect(world.notices.count == 1)
    }

    @LoopActor @Test func `a daemon that starts after the mark tells once more, one that runs on does not`()
        async throws
    {
        let world = try await world()
        await world.clock.advance(by: .seconds(8 * Self.day))
        #expect(world.notices.count == 1)
        await world.restart()
        #expect(world.notices.count == 2)
        await world.clock.advance(by: .seconds(Self.day / 2))
        #expect(world.notices.count == 2)
    }

    @LoopActor @Test func `a step of the wall clock past the mark is noticed`() async throws {
        let world = try await world()
        await world.clock.advance(by: .seconds(5 * Self.day))
        world.clock.stepWall(by: 3 * Self.day)
        world.broker.timeJumped()
        #expect(world.notices.count == 1)
    }

    @LoopActor @Test func `subscribers get grant_ending with the end`() {
        let message = BrokerEvent.grantEnding(account: "work", at: 1_800_000_000).message(at: 1_799_000_000)
        #expect(message?.type == .grantEnding)
        #expect(message?.details == ["grant_expires_at": 1_800_000_000])
    }
}

extension World {
    /// The ends that were told of.
    fileprivate var notices: [Int64] {
        log.events.compactMap { event in
            guard case .grantEnding(_, let end) = event else { return nil }
            return end
        }
    }
}
