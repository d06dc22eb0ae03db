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

/// One refresh from the store to the store.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct RefreshTests {
    @LoopActor @Test func `a held token is served in the same turn and touches nothing (engine rule 2)`() async throws {
        let world = await World.signedIn(try .plain(), age: 60)
        let reads = world.store.calls[.read]
        #expect(try world.get().answer?.get().token.accessToken == Secret("A1"))
        await settle()
        #expect(world.transport.requests.isEmpty)
        #expect(world.store.calls[.read] == reads)
    }

    @LoopActor @Test func `a refresh asks for what was granted, once, as the client it is (6749-3, 6749-5, 6749-16)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        _ = try world.get()
        let exchange = await world.transport.next()
        #expect(exchange.request.method == .post)
        #expect(exchange.request.url.text == "https://idp.example/token")
        #expect(exchange.form["grant_type"] == "refresh_token")
        #expect(exchange.form["refresh_token"] == "R1")
        #expect(exchange.form["client_id"] == "app")
        #expect(exchange.form["scope"] == nil)
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor @Test func `the new refresh token is durable before anyone sees the token (engine rule 4, B1, 9700-7)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        let exchange = await world.transport.next()
        world.store.held = [.write]
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(call.answer == nil)
        #expect(world.store.member("refresh_token")?.string == "R1")
        world.store.release()
        #expect(await call.token() == "A2")
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(world.store.member("token")?.object?["access_token"]?.string == "A2")
    }

    @LoopActor @Test func `a mark lies in the store before the token leaves, and goes with the answer (engine rule 5)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        _ = try world.get()
        let exchange = await world.transport.next()
        let mark = world.store.member("pending")?.object
        #expect(mark?["generation"]?.int64 == 1)
        #expect(mark?["sent_at"]?.int64 == world.clock.now.wall)
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(world.store.member("pending") == nil)
        #expect(world.store.member("generation")?.int64 == 2)
    }

    @LoopActor @Test func `a rotating refresh costs two writes`() async throws {
        let world = await World.signedIn(try .plain())
        for round in 2...4 {
            _ = try world.get(.init(minValid: 7200))
            await world.transport.next().answer(.token("A\(round)", refresh: "R\(round)"))
            await world.clock.advance(by: .seconds(2000))
            #expect(world.store.writeCount == 2 * (round - 1))
        }
    }

    @LoopActor @Test func `a refresh that does not rotate costs no write after the first (engine rule 8)`() async throws
    {
        let world = await World.signedIn(try .plain().refreshing { $0.policy = .onDemand })
        for round in 2...5 {
            _ = try world.get(.init(minValid: 7200))
            await world.transport.next().answer(.token("A\(round)", refresh: round == 4 ? "R1" : nil))
            await world.clock.advance(by: .seconds(2000))
            #expect(world.store.writeCount == 2)
        }
        #expect(world.store.member("refresh_token")?.string == "R1")
        #expect(world.store.member("pending") == nil)
    }

    @LoopActor @Test(arguments: [JSONValue.null, "", nil])
    func `null, empty and absent keep the old refresh token (engine rule 8, 6749-17, J)`(value: JSONValue?) async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        var more = JSONObject()
        more["refresh_token"] = value
        await world.transport.next().answer(.token("A2", more))
        #expect(await call.token() == "A2")
        #expect(world.store.member("refresh_token")?.string == "R1")
    }

    @LoopActor @Test func `a refresh token of another type is an error that keeps the old one (engine rule 8)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(.token("A2", ["refresh_token": ["R2"]]))
        #expect(await call.failure()?.kind == .providerError)
        #expect(world.store.member("refresh_token")?.string == "R1")
    }

    @LoopActor @Test func `a token's life counts from the sending, not from the answer (engine rule 12)`() async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        let exchange = await world.transport.next()
        await world.clock.advance(by: .seconds(20))
        exchange.answer(.token("A2", expiresIn: 100))
        let token = try await call.ended().get().token
        #expect(token.remaining(at: world.clock.now) == 80)
    }

    @LoopActor @Test func `an answer without expires_in does not inherit the old one (A5)`() async throws {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(.token("A2", expiresIn: nil))
        let token = try await call.ended().get().token
        #expect(token.lifetime == .unknown)
        for _ in 0..<20 { #expect(try world.get(.init(minValid: 600)).answer != nil) }
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor @Test func `a token without an end is renewed in the background, not in a loop (engine rule 14, A3)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        world.transport.script = { _ in .success(.token("A2", expiresIn: 0)) }
        _ = try world.get()
        await world.clock.advance(by: .seconds(3600))
        #expect((55...61).contains(world.transport.requests.count))
    }

    @LoopActor @Test func `another refresh token in the store is used instead of the one in memory (engine rule 2)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        var other = GrantRecord.signedIn(try .plain(), at: world.clock.now, access: "B1", age: 3600)
        other.refreshToken = Secret("R9")
        world.store.put(other.item(for: try .plain()))
        let call = try world.get()
        let exchange = await world.transport.next()
        #expect(exchange.form["refresh_token"] == "R9")
        exchange.answer(.token("B2"))
        #expect(await call.token() == "B2")
    }

    @LoopActor @Test func `a fresh token that another program put there is served without a request (engine rule 2)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        var other = GrantRecord.signedIn(try .plain(), at: world.clock.now, access: "B1")
        other.refreshToken = Secret("R9")
        world.store.put(other.item(for: try .plain()))
        #expect(await (try world.get()).token() == "B1")
        #expect(world.transport.requests.isEmpty)
    }

    @LoopActor @Test(arguments: [0, 60])
    func `a store that came back with an older item gets the newer one again, which is used`(
        age: Int64
    ) async throws {
        let world = await World.signedIn(try .plain())
        var call = try world.get()
        await world.transport.next().answer(.token("A2", expiresIn: 1, refresh: "R2"))
        #expect(await call.token() == "A2")
        let old = GrantRecord.signedIn(try .plain(), at: world.clock.now, age: 3600 + age)
        world.store.put(old.item(for: try .plain()))
        world.store.held = [.write]
        call = try world.get(.init(fresh: true))
        await world.store.holding()
        #expect(world.transport.requests.count == 1, "nothing is sent before the store has it again")
        world.store.release()
        let exchange = await world.transport.next()
        #expect(exchange.form["refresh_token"] == "R2")
        #expect(
            world.store.written.suffix(2).compactMap { MemoryCredentialStore.object(of: $0)?["refresh_token"] } == [
                "R2", "R2",
            ]
        )
        exchange.answer(.token("A3", refresh: "R3"))
        #expect(await call.token() == "A3")
        #expect(world.store.member("refresh_token") == "R3")
        let isTold = world.log.events.contains { if case .storeRolledBack("work") = $0 { true } else { false } }
        #expect(isTold)
    }

    @LoopActor @Test
    func `an end that the provider tells is the newer item's, whatever older one the store came back with`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        var call = try world.get()
        await world.transport.next().answer(.token("A2", expiresIn: 1, refresh: "R2"))
        #expect(await call.token() == "A2")
        call = try world.get(.init(fresh: true))
        let exchange = await world.transport.next()
        let old = GrantRecord.signedIn(try .plain(), at: world.clock.now, age: 3600)
        world.store.put(old.item(for: try .plain()))
        exchange.answer(.oauthError("invalid_grant"))
        #expect(await call.failure()?.kind == .loginRequired)
        #expect(world.store.member("refresh_token") == nil)
    }

    @LoopActor @Test func `an item that a person removed is a sign-out`() async throws {
        let world = await World.signedIn(try .plain())
        world.store.take("work")
        #expect(await (try world.get()).failure()?.data["reason"] == "signed_out")
        #expect(world.transport.requests.isEmpty)
    }
}
