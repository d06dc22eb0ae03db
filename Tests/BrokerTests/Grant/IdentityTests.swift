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

/// ID tokens that come with a refresh (OpenID Connect Core, section 12.2).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct IdentityTests {
    let issuer: TestIssuer

    init() throws {
        issuer = try TestIssuer()
    }

    @LoopActor private func signedIn(age: Int64 = 3600) async throws -> World {
        let world = await World.signedIn(try .openID(), age: age)
        world.transport.documents = issuer.documents
        return world
    }

    @LoopActor private func answer(_ world: World, _ changes: JSONObject = [:]) throws -> HTTPResponse {
        .token("A2", refresh: "R2", ["id_token": .string(try issuer.idToken(changes, at: world.clock.now))])
    }

    @LoopActor @Test func `a good ID token is served with its token (OIDC-11)`() async throws {
        let world = try await signedIn()
        let call = try world.get()
        await world.transport.next().answer(try answer(world))
        let served = try await call.ended().get()
        #expect(served.token.accessToken == Secret("A2"))
        #expect(served.token.idTokenExpiresAt == world.clock.now.wall + 3600)
        #expect(served.record?.identity == "alice@idp.example")
    }

    @LoopActor @Test func `an answer without one leaves the old ID token as it is (OIDC-12)`() async throws {
        let world = try await signedIn()
        let first = try world.get()
        await world.transport.next().answer(try answer(world))
        let before = try await first.ended().get().token.idToken
        let second = try world.get(.fresh)
        await world.transport.next().answer(.token("A3", refresh: "R3"))
        #expect(try await second.ended().get().token.idToken == before)
        #expect(before != nil)
    }

    @LoopActor @Test func `an ID token for another access token is dropped, and the access token served (OIDC-12)`()
        async throws
    {
        let world = try await signedIn()
        let first = try world.get()
        await world.transport.next().answer(try answer(world))
        let before = try await first.ended().get().token.idToken
        let second = try world.get(.fresh)
        await world.transport.next().answer(try answer(world, ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"]))
        let served = try await second.ended().get().token
        #expect(served.idToken == before)
        #expect(before != nil)
        #expect(world.store.member("refresh_token")?.string == "R2")
    }

    @LoopActor
    @Test(
        arguments: [
            ["auth_time": 5], ["iat": .integer(HandClock.start.wall - 2)], ["azp": "other"], ["azp": "app"],
            ["nonce": "other"], ["exp": 1000], ["iat": nil], ["aud": ["app", "further"]],
            ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"],
        ] as [JSONObject]
    )
    func `what guards nobody costs the ID token alone, and is noted once (OIDC-11)`(changes: JSONObject) async throws {
        let (world, before) = try await signedInWithIDToken()
        for round in 3...5 {
            let call = try world.get(.personal)
            let token = try issuer.idToken(changes, at: HandClock.start)
            await world.transport.next().answer(.token("A\(round)", ["id_token": .string(token)]))
            let served = try await call.ended().get().token
            #expect(served.accessToken == Secret("A\(round)") && served.idToken == before)
            await world.clock.advance(by: .seconds(10))
        }
        #expect(world.log.idTokenNotes.count == 1 && world.log.refreshFailures.isEmpty)
    }

    /// Signed in, with the ID token of the sign-in at hand, which later ones are compared with.
    @LoopActor private func signedInWithIDToken() async throws -> (world: World, idToken: Secret) {
        let world = try await signedIn()
        let call = try world.get()
        let claims: JSONObject = ["auth_time": 1]
        await world.transport.next().answer(try answer(world, claims))
        let idToken = try #require(try await call.ended().get().token.idToken)
        let keys = try await world.broker.directory.keys(
            at: try WebURL(TestIssuer.name + "/jwks"),
            wire: try world.account().wire
        )
        let now = world.clock.now
        var rules = IDTokenRules(
            .login(nonce: nil),
            issuer: try Issuer(TestIssuer.name),
            clientID: "app",
            now: now.wall
        )
        rules.algorithms = ["ES256"]
        var record = try #require(try world.account().grant.record)
        record.identityToken = try IDToken.verify(compact: idToken, keys: keys, rules: rules)
        _ = try world.account().grant.signedIn(record)
        return (world, idToken)
    }

    @LoopActor @Test(arguments: [true, false])
    func `one that cannot be verified costs the ID token alone, unless it is about somebody else (OIDC-11)`(
        isAlice: Bool
    ) async throws {
        let world = try await signedIn()
        let stranger = try TestIssuer()
        let call = try world.get()
        let token = try stranger.idToken(["sub": isAlice ? "alice" : "mallory"], at: world.clock.now)
        await world.transport.next().answer(.token("A2", refresh: "R2", ["id_token": .string(token)]))
        if isAlice {
            let served = try await call.ended().get().token
            #expect(served.accessToken == Secret("A2") && served.idToken == nil)
            #expect(world.log.idTokenNotes.count == 1)
        } else {
            // Its signature is no word of the provider's: the grant is not ended for it, and nothing served.
            #expect(await call.failure()?.kind == .providerError)
            #expect(world.log.endings.isEmpty && world.log.idTokenNotes.count == 0)
        }
        #expect(world.store.member("refresh_token") == "R2")
    }

    @LoopActor @Test func `twenty-seven renewals with another auth_time each are twenty-seven tokens (OIDC-11)`()
        async throws
    {
        let (world, before) = try await signedInWithIDToken()
        for round in 3...29 {
            let call = try world.get(.personal)
            let token = try issuer.idToken(["auth_time": .integer(Int64(round))], at: world.clock.now)
            await world.transport.next().answer(.token("A\(round)", refresh: "R\(round)", ["id_token": .string(token)]))
            let served = try await call.ended().get().token
            #expect(served.accessToken == Secret("A\(round)") && served.idToken == before)
            await world.clock.advance(by: .seconds(10))
        }
        #expect(world.log.refreshFailures.isEmpty && world.store.member("refresh_token") == "R29")
    }

    @LoopActor @Test
    func `another subject: nothing is served, nor any held token, until a new login (OIDC-11, rule 10)`()
        async throws
    {
        let world = try await signedIn(age: 60)
        let call = try world.get(.fresh)
        await world.transport.next().answer(try answer(world, ["sub": "mallory"]))
        let failure = await call.failure()
        #expect(failure?.kind == .loginRequired)
        #expect(failure?.data["reason"] == "subject")
        #expect(await (try world.get()).failure()?.data["reason"] == "subject")
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(world.store.member("token") == nil)
        #expect(world.log.endings == [.subject])
        await world.restart()
        #expect(await (try world.get()).failure()?.data["reason"] == "subject")
        await world.clock.advance(by: .seconds(200_000))
        #expect(world.transport.refreshes.count == 1)
        #expect(world.store.member("refresh_token")?.string == "R2")
    }

    @LoopActor @Test func `another subject while the store is shut: its refresh token is stored once it opens`()
        async throws
    {
        let world = try await signedIn()
        let call = try world.get()
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.locked
        exchange.answer(try answer(world, ["sub": "mallory"]))
        #expect(await call.failure()?.data["reason"] == "subject")
        world.store.fault = nil
        world.broker.storeSignalled()
        await settle()
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(world.store.member("ended")?.object?["reason"]?.string == "subject")
    }

    @LoopActor
    @Test(
        arguments: [
            ["iss": "https://evil.example"], ["aud": "other"], ["sub": nil], ["aud": "other", "exp": 1000],
            ["iss": "https://evil.example", "iat": nil],
        ] as [JSONObject]
    )
    func `another issuer or client: the answer is not served, its refresh token is stored (OIDC-11, rule 10)`(
        changes: JSONObject
    ) async throws {
        let world = try await signedIn()
        let call = try world.get()
        await world.transport.next().answer(try answer(world, changes))
        #expect(await call.failure()?.kind == .providerError)
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(world.store.member("token")?.object?["access_token"]?.string == "A1")
        #expect(world.log.endings.isEmpty)
    }

    @LoopActor @Test func `keys that cannot be had cost the ID token alone`() async throws {
        let world = try await signedIn()
        world.transport.documents[TestIssuer.name + "/jwks"] = .page(status: 503)
        let first = try world.get()
        await world.transport.next().answer(try answer(world))
        let served = try await first.ended().get().token
        #expect(served.accessToken == Secret("A2") && served.idToken == nil && world.log.idTokenNotes.count == 1)
        #expect(world.store.member("refresh_token")?.string == "R2")
        let second = try world.get(.personal)
        await world.transport.next().answer(try answer(world, ["sub": "mallory"]))
        #expect(await second.failure()?.kind == .providerError)
    }

    @LoopActor @Test
    func `metadata is fetched once for many refreshes, and a provider that is away is passing (DISC-9)`()
        async throws
    {
        let world = try await signedIn()
        for round in 2...4 {
            _ = try world.get(.init(minValid: 7200))
            await world.transport.next().answer(.token("A\(round)", refresh: "R\(round)"))
            await world.clock.advance(by: .seconds(2000))
        }
        #expect(world.transport.requests.filter { $0.method == .get }.count == 2)
    }

    @LoopActor @Test func `many accounts of one provider share its discovery`() async throws {
        let names = (0..<20).map { "a\($0)" }
        let world = World(try names.map { try .openID($0) })
        for name in names {
            let account = try AccountConfiguration.openID(name)
            world.store.put(GrantRecord.signedIn(account, at: world.clock.now, age: 3600).item(for: account))
        }
        await world.start()
        let calls = try names.map { try world.get(of: $0) }
        let discovery = await world.transport.next()
        world.transport.documents = issuer.documents
        world.transport.script = { _ in .success(.token("A2")) }
        discovery.answer(issuer.documents[discovery.request.url.text] ?? .page(status: 404))
        for call in calls { #expect(await call.token() == "A2") }
        #expect(world.transport.requests.filter { $0.method == .get }.count == 2)
    }

    @LoopActor @Test func `keys that are a day old do while the provider's cannot be had`() async throws {
        let world = try await signedIn()
        let first = try world.get()
        await world.transport.next().answer(try answer(world))
        _ = await first.ended()
        await world.clock.suspend(for: .seconds(100_000))
        world.transport.documents[TestIssuer.name + "/jwks"] = .page(status: 503)
        let second = try world.get()
        await world.transport.next().answer(try answer(world))
        #expect(await second.token() == "A2")
    }

    @LoopActor @Test func `a discovery that breaks the rules is provider_error and sends no token (DISC-4)`()
        async throws
    {
        let world = await World.signedIn(try .openID())
        world.transport.script = { _ in .success(.json(["issuer": "https://evil.example"])) }
        #expect(await (try world.get()).failure()?.kind == .providerError)
        #expect(world.transport.posts.isEmpty)
        #expect(world.store.member("pending") == nil)
    }
}
