// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// For whom a grant is, as far as the ID token tells (OpenID Connect Core, section 3.1.3.7).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LoginIdentityTests {
    @Test(
        arguments: [
            (["iss": "https://evil.example"], "issuer"), (["iss": "https://idp.example/"], "issuer"),
            (["aud": "other"], "audience"), (["aud": ["app", "evil"], "azp": "evil"], "azp"),
            (["aud": ["app", "evil"]], "azp"), (["azp": "other"], "azp"), (["nonce": "other"], "nonce"),
            (["nonce": nil], "nonce"),
            (["exp": .integer(HandClock.start.wall - 100)], "expiry"), (["sub": nil], "subject"),
            (["sub": ""], "subject"),
            (["iat": .integer(HandClock.start.wall + 1000)], "issued_at"), (["at_hash": "AAAA"], "at_hash"),
        ] as [(JSONObject, String)]
    )
    @LoopActor func `an ID token that fails a check ends the login and leaves nothing (OIDC-2 to OIDC-9)`(
        claims: JSONObject,
        check: String
    ) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let error = try await stand.signIn(claims: claims).error
        #expect(error?.kind == .loginFailed && error?.data["check"]?.string == check)
        #expect(stand.store.written.isEmpty)
        await settle()
        #expect(stand.revoked == ["R1", "A1"])
    }

    @Test @LoopActor func `a token of a stranger, or unsigned, ends the login (OIDC-4)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let stranger = try PlayedProvider(World([]))
        let header = Array(#"{"alg":"none"}"#.utf8)
        let unsigned = Base64URL.encode(header) + "." + Base64URL.encode(Array("{}".utf8)) + "."
        for (token, check) in [(try stranger.idToken(nonce: nil), "signature"), (unsigned, "algorithm"), ("x", "form")]
        {
            let login = try await stand.start()
            _ = stand.bringCode(login)
            stand.transport.next(answer: .token("A1", ["id_token": .string(token)]))
            #expect(await stand.wait(login).error?.data["check"]?.string == check)
        }
        #expect(stand.provider.keyFetches == 1)
    }

    @Test @LoopActor func `no ID token although openid was granted ends the login`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        for (scope, check) in [("openid mail", "id_token"), (nil, "id_token"), ("mail", nil)] {
            let login = try await stand.start()
            _ = stand.bringCode(login)
            let more: JSONObject = scope.map { ["scope": .string($0)] } ?? [:]
            stand.transport.next(answer: .token("A1", refresh: "R1", more))
            let reply = await stand.wait(login)
            #expect(reply.error?.data["check"]?.string == check)
            if check == nil { #expect(reply.value?["scope"] == "mail" && reply.value?["subject"] == nil) }
        }
    }

    @Test @LoopActor func `max_age and acr_values are checked where they were asked for (OIDC-7)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let old: JSONObject = ["auth_time": .integer(HandClock.start.wall - 1000), "acr": "low"]
        #expect(try await stand.signIn(["max_age": 500], claims: old).error?.data["check"] == "auth_time")
        #expect(try await stand.signIn(["acr_values": "high higher"], claims: old).error?.data["check"] == "acr")
        #expect(try await stand.signIn(["max_age": 2000, "acr_values": "high low"], claims: old).kind == nil)
        var account = try AccountConfiguration.openID()
        account.authorizationParameters = ["max_age": "500", "acr_values": "low"]
        stand.world.reconfigure(account)
        #expect(try await stand.signIn(claims: old).error?.data["check"] == "auth_time")
    }

    @Test @LoopActor func `ZITADEL's further audiences are accepted, and where some are named, no others (OIDC-3)`()
        async throws
    {
        let claims: JSONObject = ["aud": ["app", "246", "other@project"], "azp": "app"]
        let stand = try await LoginStand()
        defer { stand.end() }
        #expect(try await stand.signIn(claims: claims).kind == nil)
        var account = try AccountConfiguration.openID()
        for (trusted, kind) in [(["246", "other@project"], nil), (["246"], .loginFailed), ([], .loginFailed)]
            as [([String], ErrorKind?)]
        {
            account.trustedAudiences = Set(trusted)
            stand.world.reconfigure(account)
            let reply = try await stand.signIn(claims: claims)
            #expect(reply.kind == kind && (kind == nil || reply.error?.data["check"] == "audience"))
        }
        // At a renewal a further one that is not trusted refuses the answer.
        account.trustedAudiences = ["246"]
        stand.world.reconfigure(account)
        #expect(try await stand.signIn(claims: ["aud": ["app", "246"], "azp": "app"]).kind == nil)
        let call = try stand.world.get(.personal)
        let token = try stand.provider.idToken(nonce: nil, claims)
        await stand.transport.next().answer(.token("A2", ["id_token": .string(token)]))
        #expect(await call.failure()?.kind == .providerError)
    }

    // MARK: Keys

    @Test @LoopActor func `a key that is not known yet is fetched once more (OIDC-10)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        #expect(try await stand.signIn().kind == nil)
        #expect(stand.provider.keyFetches == 1)
        try stand.provider.addKey("k2")
        await stand.clock.advance(by: .seconds(60))
        #expect(try await stand.signIn().kind == nil)
        #expect(stand.provider.keyFetches == 2)
    }

    @Test @LoopActor func `keys are fetched anew at most once a minute (OIDC-10)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        #expect(try await stand.signIn().kind == nil)
        await stand.clock.advance(by: .seconds(60))
        try stand.provider.addKey("k2", isPublished: false)
        for _ in 0..<3 { #expect(try await stand.signIn().error?.data["check"] == "signature") }
        #expect(stand.provider.keyFetches == 2)
        stand.provider.publishKeys()
        await stand.clock.advance(by: .seconds(60))
        #expect(try await stand.signIn().kind == nil)
        #expect(stand.provider.keyFetches == 3)
    }

    @Test @LoopActor func `another key under an old name is no fault at the next login`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        #expect(try await stand.signIn().kind == nil)
        await stand.clock.advance(by: .seconds(1))
        try stand.provider.replaceKeys()
        #expect(try await stand.signIn().kind == nil)
        #expect(stand.provider.keyFetches == 2)
    }

    @Test @LoopActor func `keys that cannot be had make the login fail in passing`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.transport.documents[PlayedProvider.keySetURL] = .page(status: 503)
        #expect(try await stand.signIn().kind == .providerUnreachable)
        #expect(stand.store.written.isEmpty)
    }

    // MARK: The same user

    @Test @LoopActor func `another subject does not take the old one's place without force (E10, OIDC-8)`() async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let error = try await stand.signIn(refresh: "R2", claims: ["sub": "bob", "email": "alice@idp.example"]).error
        #expect(error?.kind == .loginFailed && error?.data["check"] == "subject")
        #expect(error?.message.contains("alice@idp.example") == true)
        #expect(error?.message.contains("tokenctl login work --force") == true)
        #expect(stand.store.member("refresh_token") == "R1")
        #expect(try await stand.client.call(.tokenGet).get()["access_token"] == "A1")
        await settle()
        #expect(stand.revoked == ["R2", "A1"])
        let forced = try await stand.signIn(["force": true], refresh: "R3", claims: ["sub": "bob"])
        #expect(forced.value?["subject"] == "bob" && stand.store.member("refresh_token") == "R3")
    }

    @Test @LoopActor func `subjects differ by every byte, and a logout forgets the last one`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        #expect(try await stand.signIn(claims: ["sub": "Alice"]).error?.data["check"] == "subject")
        _ = await stand.client.call(.logout, ["account": "work", "revoke": false])
        #expect(try await stand.signIn(claims: ["sub": "Alice"]).kind == nil)
    }

    @Test @LoopActor func `a logout that is still owed has forgotten the subject, and the new grant stays`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        stand.store.faults[.remove] = [MemoryCredentialStore.locked]
        let reply = await stand.client.call(.logout, ["account": "work", "revoke": false])
        #expect(reply.value?["removal_pending"] == true && reply.value?["removal_fault"] == nil)
        let login = try await stand.start()
        #expect(login.query["login_hint"] == nil)
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login, refresh: nil, claims: ["sub": "bob"]))
        _ = await coming.value
        #expect(await stand.wait(login).value?["subject"] == "bob")
        stand.world.broker.storeOpened()
        await settle()
        #expect(stand.store.member("subject") == "bob" && stand.store.member("refresh_token") == nil)
    }

    // MARK: A login without a refresh token

    @Test @LoopActor func `the newest refresh token of the same person is kept where the login brings none`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let login = try await stand.start()
        // While the user is in the browser, a refresh rotates the token.
        let other = try stand.methods.client()
        _ = other.send(.tokenGet, ["fresh": true])
        await stand.transport.next().answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(stand.store.member("refresh_token") == "R2")
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login, refresh: nil))
        _ = await coming.value
        #expect(await stand.wait(login).value?["renewable"] == true)
        #expect(stand.store.member("refresh_token") == "R2" && stand.store.member("generation") == 2)
    }

    @Test @LoopActor func `another person's refresh token is not kept`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let reply = try await stand.signIn(["force": true], refresh: nil, claims: ["sub": "bob"])
        #expect(reply.value?["renewable"] == false && stand.store.member("refresh_token") == nil)
    }
}
