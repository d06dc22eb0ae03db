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

/// Providers that narrow the whole grant with the one token: they are asked once, and never again.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct NarrowingTests {
    /// A grant of two scopes of which a narrow token was fetched, with a new refresh token.
    @LoopActor private func narrowed() async throws -> World {
        let world = await World.signedIn(try .plain(), age: 60) {
            $0.scope = ["mail", "mail.read"]
            $0.token?.scope = ["mail", "mail.read"]
        }
        let call = try world.get(.of(.read))
        await world.transport.next().answer(.token("M1", expiresIn: 5, refresh: "R2", ["scope": "mail.read"]))
        #expect(await call.token() == "M1")
        #expect(world.store.member("narrowed_to")?.string == "mail.read")
        return world
    }

    @LoopActor private func renew(_ world: World, scope: String?) async throws {
        let call = try world.get(.fresh)
        let more: JSONObject = scope.map { ["scope": .string($0)] } ?? [:]
        await world.transport.next().answer(.token("A2", refresh: "R3", more))
        #expect(await call.token() == "A2")
        await world.clock.advance(by: .seconds(20))
    }

    @LoopActor @Test func `where the new refresh token covers less, no narrow token is asked for again (6749-16)`()
        async throws
    {
        let world = try await narrowed()
        try await renew(world, scope: "mail.read")
        #expect(world.log.events.contains { if case .tokenRefused = $0 { true } else { false } })
        let error = await (try world.get(.of(.read))).failure()
        #expect(error?.kind == .providerError && error?.message.contains("tokenctl login work") == true)
        #expect(await (try world.get(TokenDemand(scope: ["mail"]))).failure()?.kind == .insufficientScope)
        await world.restart()
        #expect(await (try world.get(.of(.read))).failure()?.kind == .providerError)
        #expect(world.transport.refreshes.count == 2)
        let other = try world.get(.of(.calendar))
        await world.transport.next().answer(.token("C1"))
        #expect(await other.token() == "C1", "that narrows nothing")
    }

    @LoopActor @Test(arguments: ["mail mail.read", "mail", nil])
    func `where it covers the whole, or something else has changed, narrow tokens go on (6749-16)`(scope: String?)
        async throws
    {
        let world = try await narrowed()
        try await renew(world, scope: scope)
        guard scope != "mail" else {
            #expect(await (try world.get(.of(.read))).failure()?.kind == .insufficientScope)
            return
        }
        let again = try world.get(.of(.read))
        await world.transport.next().answer(.token("M2", refresh: "R4", ["scope": "mail.read"]))
        #expect(await again.token() == "M2")
        #expect((world.store.member("narrowed_to") == nil) == (scope != nil), "asked and answered")
    }

    @LoopActor @Test func `a refresh token that stays narrows nothing`() async throws {
        let world = await World.signedIn(try .plain(), age: 60) { $0.scope = ["mail", "mail.read"] }
        let call = try world.get(.of(.read))
        await world.transport.next().answer(.token("M1", ["scope": "mail.read"]))
        #expect(await call.token() == "M1")
        #expect(world.store.member("narrowed_to") == nil)
    }
}
