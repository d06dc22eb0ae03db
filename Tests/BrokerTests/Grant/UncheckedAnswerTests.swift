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

/// Answers whose ID token cannot be checked before the provider's keys are there: what was rotated is durable before they
/// are asked for.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct UncheckedAnswerTests {
    private static let keys = TestIssuer.name + "/jwks"
    let issuer: TestIssuer

    init() throws {
        issuer = try TestIssuer()
    }

    /// Signed in, with a token that is over; the provider's keys are not known, and wait for a test's answer.
    @LoopActor private func signedIn(age: Int64 = 3600) async throws -> World {
        let world = await World.signedIn(try .openID(), age: age)
        world.transport.documents = issuer.documents
        world.transport.documents[Self.keys] = nil
        world.transport.script = { $0.url.path == "/revoke" ? .success(HTTPResponse(status: 200)) : nil }
        return world
    }

    @LoopActor private func answer(_ world: World, _ changes: JSONObject = [:], round: Int = 2) throws -> HTTPResponse {
        let token = try issuer.idToken(changes, at: world.clock.now)
        return .token("A\(round)", refresh: "R\(round)", ["id_token": .string(token)])
    }

    /// A refresh that was answered, and the request for the keys that it waits for.
    @LoopActor private func pending(
        _ world: World,
        _ changes: JSONObject = [:]
    ) async throws -> (call: ClientCall, keys: ScriptedTransport.Exchange) {
        let call = try world.get(.fresh)
        await world.transport.next().answer(try answer(world, changes))
        let keys = await world.transport.next()
        #expect(keys.request.url.text == Self.keys)
        return (call, keys)
    }

    private func publish(_ keys: ScriptedTransport.Exchange) async throws {
        await keys.answer(try #require(issuer.documents[Self.keys]))
    }

    @LoopActor @Test
    func `the new refresh token is in the store before the keys are asked for (engine rules 4 and 10)`() async throws {
        let world = try await signedIn()
        let (call, keys) = try await pending(world)
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(world.store.member("token")?.object?["access_token"]?.string == "A1")
        #expect(call.answer == nil)
        try await publish(keys)
        #expect(await call.token() == "A2")
        #expect(world.store.member("token")?.object?["access_token"]?.string == "A2")
        #expect(world.store.member("generation")?.int64 == 2 && world.store.member("rotates")?.bool == true)
        #expect(world.store.writeCount == 3)
    }

    @LoopActor @Test func `a kill while the keys are asked for costs no login (engine rules 4 and 10)`() async throws {
        let world = try await signedIn()
        _ = try await pending(world)
        world.transport.documents = issuer.documents
        await world.restart()
        let call = try world.get()
        let exchange = await world.transport.next()
        // Nobody has sent it: it is no token that may be spent.
        #expect(exchange.form["refresh_token"] == "R2" && world.transport.refreshes.count == 2)
        exchange.answer(try answer(world, round: 3))
        #expect(await call.token() == "A3")
        #expect(world.log.endings.isEmpty)
    }

    @LoopActor @Test func `with the keys at hand a rotation with an ID token costs two writes`() async throws {
        let world = try await signedIn()
        let (call, keys) = try await pending(world)
        try await publish(keys)
        _ = await call.ended()
        for round in 3...5 {
            await world.clock.advance(by: .seconds(2000))
            let before = world.store.writeCount
            let call = try world.get(.init(minValid: 7200))
            await world.transport.next().answer(try answer(world, round: round))
            #expect(await call.token() == "A\(round)")
            #expect(world.store.writeCount == before + 2)
        }
    }

    @LoopActor @Test func `a key that is not known yet is fetched after the refresh token is stored`() async throws {
        let world = try await signedIn()
        world.transport.documents[Self.keys] = .json(["keys": []])
        let url = try WebURL(Self.keys)
        _ = try await world.broker.directory.keys(at: url, wire: try world.account().wire)
        world.transport.documents[Self.keys] = nil
        await world.clock.advance(by: .seconds(1))
        let (call, keys) = try await pending(world)
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(call.answer == nil && world.store.writeCount == 2)
        try await publish(keys)
        #expect(await call.token() == "A2")
    }

    @LoopActor @Test(arguments: [["aud": "other"], ["iss": "https://evil.example"]] as [JSONObject])
    func `an ID token that then is for somebody else: as if the keys had been there`(changes: JSONObject) async throws {
        let world = try await signedIn()
        let (call, keys) = try await pending(world, changes)
        try await publish(keys)
        #expect(await call.failure()?.kind == .providerError)
        #expect(world.store.member("refresh_token")?.string == "R2" && world.store.writeCount == 2)
        #expect(world.store.member("pending") == nil)
        #expect(world.store.member("token")?.object?["access_token"]?.string == "A1")
        #expect(world.log.endings.isEmpty)
        await world.clock.advance(by: .seconds(5))
        #expect(await world.transport.next().form["refresh_token"] == "R2")
    }

    @LoopActor @Test func `an ID token that is then about another person ends the grant, as ever (OIDC-11)`()
        async throws
    {
        let world = try await signedIn(age: 60)
        let (call, keys) = try await pending(world, ["sub": "mallory"])
        try await publish(keys)
        #expect(await call.failure()?.data["reason"] == "subject")
        #expect(world.store.member("refresh_token")?.string == "R2" && world.store.member("token") == nil)
        #expect(world.store.member("ended")?.object?["reason"]?.string == "subject")
    }

    @LoopActor @Test func `keys that cannot be had then cost the ID token alone`() async throws {
        let world = try await signedIn()
        let (call, keys) = try await pending(world)
        keys.answer(.page(status: 503))
        #expect(await call.token() == "A2")
        #expect(world.store.member("refresh_token")?.string == "R2" && world.store.writeCount == 3)
    }

    @LoopActor @Test func `a store that refuses it then is tried again after the check (engine rule 4)`() async throws {
        let world = try await signedIn()
        let call = try world.get(.fresh)
        let exchange = await world.transport.next()
        world.store.faults[.write] = [MemoryCredentialStore.unavailable]
        exchange.answer(try answer(world))
        let keys = await world.transport.next()
        #expect(world.store.member("refresh_token")?.string == "R1")
        try await publish(keys)
        #expect(await call.token() == "A2")
        #expect(world.store.member("refresh_token")?.string == "R2")
    }

    @LoopActor @Test func `a store that takes the refresh token alone keeps nobody from the new token`() async throws {
        let world = try await signedIn()
        let (call, keys) = try await pending(world)
        world.store.faults[.write] = [MemoryCredentialStore.unavailable]
        try await publish(keys)
        #expect(await call.token() == "A2")
        #expect(world.store.member("refresh_token")?.string == "R2")
        world.broker.stop()
        await world.broker.keepTokens(within: .seconds(10))
        #expect(world.store.member("token")?.object?["access_token"]?.string == "A2")
    }

    @LoopActor @Test(arguments: [JSONObject(), ["aud": "other"], ["sub": "mallory"]])
    func `a logout while the keys are asked for revokes it, whatever the check says`(changes: JSONObject) async throws {
        let world = try await signedIn()
        let (_, keys) = try await pending(world, changes)
        _ = await (try world.account()).logout(revoke: true)
        try await publish(keys)
        await settle()
        #expect(world.store.kept.isEmpty)
        let revoked = world.transport.posts.filter { $0.url.path == "/revoke" }.compactMap { $0.form["token"] }
        #expect(revoked.last == "R2")
    }
}
