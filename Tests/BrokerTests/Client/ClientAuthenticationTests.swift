// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

extension AccountConfiguration {
    /// The plain account, with a client that authenticates by that method.
    static func showing(_ method: ClientAuthenticationMethod, id: String = "app") throws -> AccountConfiguration {
        var account = try plain()
        account.file = "/home/u/.config/tokend/accounts/work.json5"
        account.clientID = id
        account.clientAuthentication = method
        return account
    }
}

extension World {
    /// Puts a secret into the store as `account.secret` does.
    func give(_ kind: ClientSecretKind, _ value: String, to account: AccountConfiguration) {
        var record = ClientRecord()
        record[kind] = .init(
            value: Secret(value),
            destination: ClientDestination(account: account, wire: DaemonConfiguration.Wire())
        )
        store.put(record.item(for: account))
    }

    /// A started broker whose account holds a grant that is due, and a client secret.
    static func withSecret(
        _ account: AccountConfiguration,
        _ kind: ClientSecretKind = .clientSecret,
        _ value: String = "s3cr3t"
    ) async -> World {
        let world = World([account])
        world.give(kind, value, to: account)
        world.store.put(GrantRecord.signedIn(account, at: world.clock.now, age: 3600).item(for: account))
        await world.start()
        return world
    }
}

/// How a client authenticates at its provider: by one method, that of its account, with what the secret store has.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ClientAuthenticationTests {
    @LoopActor @Test func `Basic carries id and secret form-encoded, and the body neither (6749-4, A13)`() async throws
    {
        let world = await World.withSecret(try .showing(.clientSecretBasic, id: "a:b c%"), .clientSecret, "p+/:& é")
        _ = try world.get()
        let exchange = await world.transport.next()
        // "a%3Ab+c%25:p%2B%2F%3A%26+%C3%A9", as RFC 6749, section 2.3.1 wants it.
        #expect(
            exchange.request.headers["Authorization"] == "Basic YSUzQWIrYyUyNTpwJTJCJTJGJTNBJTI2KyVDMyVBOQ=="
        )
        #expect(exchange.form["client_id"] == nil && exchange.form["client_secret"] == nil)
        #expect(exchange.form["refresh_token"] == "R1")
    }

    @LoopActor @Test func `a provider that takes Basic as it is gets it so, where the account says so (A13)`()
        async throws
    {
        var account = try AccountConfiguration.showing(.clientSecretBasic)
        account.encodesBasic = false
        let world = await World.withSecret(account, .clientSecret, "p+/:&")
        _ = try world.get()
        // "app:p+/:&"
        #expect(await world.transport.next().request.headers["Authorization"] == "Basic YXBwOnArLzom")
    }

    @LoopActor @Test func `the other way has both in the body and no header (6749-4)`() async throws {
        let world = await World.withSecret(try .showing(.clientSecretPost))
        _ = try world.get()
        let exchange = await world.transport.next()
        #expect(exchange.request.headers["Authorization"] == nil)
        #expect(exchange.form["client_id"] == "app" && exchange.form["client_secret"] == "s3cr3t")
    }

    @LoopActor @Test func `a key signs an assertion for each request, used once`() async throws {
        let key = try SigningKey.generate(.es256)
        let account = try AccountConfiguration.showing(.privateKeyJWT)
        let world = await World.withSecret(account, .clientKey, try key.exportPEM().reveal())
        let call = try world.get()
        let first = await world.transport.next()
        #expect(first.form["client_id"] == "app" && first.form["client_secret"] == nil)
        #expect(first.form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        let claims = try assertion(first, key)
        #expect(claims["iss"] == "app" && claims["sub"] == "app" && claims["aud"] == "https://idp.example/token")
        // The answer is lost: the same refresh token once more, and not the same assertion.
        first.fail(.interrupted, mayHaveBeenSent: true)
        let second = await world.transport.next()
        #expect(second.form["refresh_token"] == first.form["refresh_token"])
        #expect(second.form["client_assertion"] != nil)
        second.answer(.token("A2", refresh: "R2"))
        #expect(await call.token() == "A2")
    }

    @LoopActor private func assertion(_ exchange: ScriptedTransport.Exchange, _ key: SigningKey) throws -> JSONObject {
        let signature = try JSONWebSignature(compact: Secret(exchange.form["client_assertion"] ?? ""))
        try signature.verify(with: key.publicKey)
        return try signature.claims()
    }

    @LoopActor @Test func `a public client sends its id and nothing else, whatever the store holds (6749-5, A12)`()
        async throws
    {
        let world = await World.withSecret(try .plain())
        _ = try world.get()
        let exchange = await world.transport.next()
        #expect(exchange.request.headers["Authorization"] == nil)
        #expect(exchange.form["client_id"] == "app" && exchange.form["client_secret"] == nil)
    }

    @LoopActor @Test func `a client that is refused keeps its grant, and no other way is tried with it (A12, A13)`()
        async throws
    {
        let secret = "s3cr3t-of-the-client"
        let world = await World.withSecret(try .showing(.clientSecretBasic), .clientSecret, secret)
        let call = try world.get(.init(minValid: 7200))
        let exchange = await world.transport.next()
        exchange.answer(
            .json(
                ["error": "invalid_client", "error_description": .string("no client with secret \(secret)")],
                status: 401
            )
        )
        let error = await call.failure()
        #expect(error?.kind == .providerError && error?.data["oauth_error"] == "invalid_client")
        #expect(error?.message.contains("tokenctl account secret work") == true)
        #expect(error?.message.contains("client_secret_basic") == true)
        #expect(error?.message.contains("s3cr3t") == false)
        await settle()
        #expect(world.transport.requests.count == 1)
        #expect(world.store.member("refresh_token")?.string == "R1")
        #expect(try world.account().status.fault?.message.contains("account secret") == true)
    }

    @LoopActor @Test func `the provider is told of a logout by the client that it knows (6749-5)`() async throws {
        let world = await World.withSecret(try .showing(.clientSecretPost))
        world.transport.script = { _ in .success(HTTPResponse(status: 200, headers: [:], body: [])) }
        let result = await (try world.account()).logout(revoke: true)
        #expect(result.revoked)
        #expect(world.transport.posts.allSatisfy { $0.form["client_secret"] == "s3cr3t" })
        #expect(world.transport.posts.first?.form["token"] == "R1")
        // The client's secret is not the grant: the next sign-in needs it.
        #expect(world.store.clients["work"] != nil)
    }
}
