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

/// The end of a grant, and what is left of it.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct EndTests {
    /// A world whose provider has just ended the grant.
    @LoopActor private func ended(age: Int64 = 3600) async throws -> World {
        let world = await World.signedIn(try .plain(), age: age)
        let call = try world.get(.fresh)
        await world.transport.next().answer(.oauthError("invalid_grant"))
        _ = await call.ended()
        return world
    }

    @LoopActor @Test func `after the end a token whose life nobody knows is served for an hour, not for ever`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 0) { $0.token?.lifetime = .unknown }
        let renewal = try world.get(TokenDemand(fresh: true))
        await world.transport.next().answer(.oauthError("invalid_grant"))
        #expect(await renewal.failure()?.kind == .loginRequired)
        #expect(await (try world.get()).token() == "A1")
        await world.clock.advance(by: .seconds(3600))
        #expect(await (try world.get()).failure()?.kind == .loginRequired)
    }

    @LoopActor @Test func `invalid_grant ends the grant at once: one request, one notice, no retry (B7)`() async throws
    {
        let world = try await ended()
        #expect(await (try world.get()).failure()?.kind == .loginRequired)
        await world.clock.advance(by: .seconds(7200))
        #expect(world.transport.requests.count == 1)
        #expect(world.log.endings == [.ended])
    }

    @LoopActor @Test func `the item stays without its secrets, and a restart still says why`() async throws {
        let world = try await ended()
        #expect(world.store.member("refresh_token") == nil)
        #expect(world.store.member("token") == nil)
        #expect(world.store.member("ended")?.object?["reason"]?.string == "ended")
        await world.restart()
        let failure = await (try world.get()).failure()
        #expect(failure?.data["reason"] == "ended")
        #expect(failure?.data["oauth_error"] == "invalid_grant")
    }

    @LoopActor @Test func `after 24 h the item goes, for a daemon that runs on`() async throws {
        let world = try await ended()
        await world.clock.advance(by: .seconds(86_399))
        #expect(world.store.kept.count == 1)
        await world.clock.advance(by: .seconds(1))
        #expect(world.store.kept.isEmpty)
        #expect(await (try world.get()).failure()?.data["reason"] == "ended")
    }

    @LoopActor @Test func `after 24 h the item goes, for a daemon that starts`() async throws {
        let world = try await ended()
        await world.clock.advance(by: .seconds(43_200))
        await world.restart()
        await world.clock.advance(by: .seconds(43_199))
        #expect(world.store.kept.count == 1)
        await world.clock.advance(by: .seconds(1))
        #expect(world.store.kept.isEmpty)
    }

    @LoopActor @Test func `a refusal does not touch a newer refresh token in the store (engine rule 9, B3)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        let exchange = await world.transport.next()
        var newer = GrantRecord.signedIn(try .plain(), at: world.clock.now, access: "B1")
        newer.refreshToken = Secret("R9")
        world.store.put(newer.item(for: try .plain()))
        exchange.answer(.oauthError("invalid_grant"))
        #expect(await call.token() == "B1")
        #expect(world.store.member("refresh_token")?.string == "R9")
        #expect(world.log.endings.isEmpty)
    }

    @LoopActor @Test func `a shut store gets the ended grant's item later, without its secrets`() async throws {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.locked
        exchange.answer(.oauthError("invalid_grant"))
        #expect(await call.failure()?.kind == .loginRequired)
        world.store.fault = nil
        world.broker.storeSignalled()
        await settle()
        #expect(world.store.member("refresh_token") == nil)
        #expect(world.store.member("ended") != nil)
    }

    @LoopActor @Test func `an unknown error that ends a grant leaves its refresh token in the store (class unknown)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        world.transport.script = { _ in .success(.oauthError("quota_exceeded")) }
        await world.clock.advance(by: .seconds(3600))
        #expect(await (try world.get()).failure()?.kind == .loginRequired)
        #expect(world.log.endings == [.refused])
        await world.clock.advance(by: .seconds(200_000))
        #expect(world.store.member("refresh_token")?.string == "R1")
    }

    @LoopActor @Test func `one wrong invalid_grant of Microsoft's costs no sign-in (B6)`() async throws {
        let world = await World.signedIn(try .plain())
        let wrong: JSONObject = ["error": "invalid_grant", "error_codes": [70000]]
        let first = try world.get()
        await world.transport.next().answer(.json(wrong, status: 400))
        #expect(await first.failure()?.kind == .providerError)
        #expect(world.store.member("refresh_token") == "R1" && world.log.endings.isEmpty)
        world.transport.script = { _ in .success(.token("A2")) }
        await world.clock.advance(by: .seconds(10))
        #expect(world.transport.refreshes.map { $0["refresh_token"] } == ["R1", "R1"])
        #expect(await (try world.get()).token() == "A2")
    }

    @LoopActor @Test func `said three times over a quarter of an hour it is the end, and the token stays (B6)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let wrong: JSONObject = ["error": "invalid_grant", "error_codes": [70000]]
        world.transport.script = { _ in .success(.json(wrong, status: 400)) }
        await world.clock.advance(by: .seconds(3600))
        #expect(world.log.endings == [.refused])
        #expect(await (try world.get()).failure()?.kind == .loginRequired)
        #expect(world.store.member("refresh_token") == "R1")
    }
}
