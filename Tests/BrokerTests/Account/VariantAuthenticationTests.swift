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

/// Tokens of other combinations, of clients that authenticate.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct VariantAuthenticationTests {
    /// A grant that is due, whose client holds what it authenticates with.
    @LoopActor private func world(_ method: ClientAuthenticationMethod, _ value: String) async throws -> World {
        var account = try AccountConfiguration.showing(method)
        account.scopes = ["mail", "mail.read"]
        return await World.withSecret(account, method.usesSecret ? .clientSecret : .clientKey, value)
    }

    @LoopActor @Test(arguments: [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost])
    func `each combination is asked for by the client with its secret (6749-4, 8707-1)`(
        method: ClientAuthenticationMethod
    ) async throws {
        let world = try await world(method, "s3cr3t")
        let isBasic = method == .clientSecretBasic
        for (number, variant) in [TokenVariant.read, .calendar, .files].enumerated() {
            let call = try world.get(.of(variant))
            let exchange = await world.transport.next()
            #expect(exchange.request.headers["Authorization"] == (isBasic ? "Basic YXBwOnMzY3IzdA==" : nil))
            #expect(exchange.form["client_secret"] == (isBasic ? nil : "s3cr3t"))
            #expect(exchange.form["client_id"] == (isBasic ? nil : "app"))
            #expect(exchange.form["refresh_token"] == "R\(number + 1)")
            exchange.answer(.token("T\(number)", refresh: "R\(number + 2)"))
            #expect(await call.token() == "T\(number)")
        }
    }

    @LoopActor @Test func `a key signs a new assertion for each combination`() async throws {
        let key = try SigningKey.generate(.es256)
        let world = try await world(.privateKeyJWT, try key.exportPEM().reveal())
        var assertions: Set<String> = []
        for variant in [TokenVariant.read, .calendar, .files] {
            let call = try world.get(.of(variant))
            let exchange = await world.transport.next()
            let assertion = try #require(exchange.form["client_assertion"])
            try JSONWebSignature(compact: Secret(assertion)).verify(with: key.publicKey)
            assertions.insert(assertion)
            exchange.answer(.token("T1"))
            #expect(await call.token() == "T1")
        }
        #expect(assertions.count == 3)
    }

    @LoopActor @Test func `a client that is refused for one is refused for all, and tries no other way (A13)`()
        async throws
    {
        let world = try await world(.clientSecretBasic, "s3cr3t")
        let call = try world.get(.of(.read))
        await world.transport.next().answer(.oauthError("invalid_client", status: 401))
        #expect(await call.failure()?.message.contains("tokenctl account secret work") == true)
        #expect(await (try world.get(.of(.calendar))).failure()?.kind == .providerError)
        await settle()
        #expect(world.transport.requests.count == 1 && world.store.member("refresh_token") == "R1")
    }
}
