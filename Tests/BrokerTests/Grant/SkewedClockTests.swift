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

/// A machine whose clock is not the provider's, at a sign-in, at a refresh and at the start.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct SkewedClockTests {
    /// When an ID token was issued and when it ends, by a provider whose clock is so many seconds ahead of ours.
    @LoopActor private func times(_ world: World, ahead: Int64) -> JSONObject {
        let now = world.clock.now.wall + ahead
        return ["iat": .integer(now), "exp": .integer(now + 600)]
    }

    @Test(arguments: [299, 0, -600, -659] as [Int64])
    @LoopActor func `clocks that are a few minutes apart are no hindrance to a sign-in (skewed iat)`(
        ahead: Int64
    ) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        #expect(try await stand.signIn(claims: times(stand.world, ahead: ahead)).kind == nil)
    }

    @Test(arguments: [(7200, "issued_at"), (-7200, "expiry")] as [(Int64, String)])
    @LoopActor func `a sign-in with a wrong clock names the clock, and works once that is set right (skewed iat)`(
        ahead: Int64,
        check: String
    ) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let error = try await stand.signIn(claims: times(stand.world, ahead: ahead)).error
        #expect(error?.kind == .loginFailed && error?.data["check"]?.string == check)
        #expect(error?.message.contains("this machine's clock") == true)
        stand.world.clock.stepWall(by: ahead)
        stand.world.broker.timeJumped()
        #expect(try await stand.signIn().kind == nil)
    }

    @Test(arguments: [7200, -7200] as [Int64])
    @LoopActor
    func `a refresh with a wrong clock costs the ID token alone, and brings one once that is set right (skewed iat)`(
        ahead: Int64
    ) async throws {
        let issuer = try TestIssuer()
        let world = await World.signedIn(try .openID())
        world.transport.documents = issuer.documents
        let call = try world.get()
        let skewed = try issuer.idToken(times(world, ahead: ahead), at: world.clock.now)
        await world.transport.next().answer(.token("A2", refresh: "R2", ["id_token": .string(skewed)]))
        let served = try await call.ended().get().token
        #expect(served.accessToken == Secret("A2") && served.idToken == nil)
        #expect(world.log.idTokenNotes.first?.contains("this machine's clock") == true)
        #expect(world.store.member("refresh_token") == "R2" && world.log.endings.isEmpty)
        world.clock.stepWall(by: ahead)
        world.broker.timeJumped()
        let again = try world.get(.personal)
        let right = try issuer.idToken(at: world.clock.now)
        await world.transport.next().answer(.token("A3", refresh: "R3", ["id_token": .string(right)]))
        #expect(try await again.ended().get().token.idToken == Secret(right))
        #expect(world.transport.refreshes.map { $0["refresh_token"] } == ["R1", "R2"])
    }

    @LoopActor @Test func `a start with a clock that is a day ahead renews once, and nothing when that is set right`()
        async throws
    {
        let account = try AccountConfiguration.plain()
        let world = World([account])
        world.store.put(GrantRecord.signedIn(account, at: world.clock.now, age: 0).item(for: account))
        world.transport.script = { _ in .success(.token("A2")) }
        world.clock.stepWall(by: 86_400)
        await world.start()
        await world.clock.advance(by: .seconds(31))
        #expect(world.transport.requests.count == 1)
        world.clock.stepWall(by: -86_400)
        world.broker.timeJumped()
        await world.clock.advance(by: .seconds(1800))
        #expect(world.transport.requests.count == 1)
        #expect(await (try world.get()).token() == "A2")
    }
}
