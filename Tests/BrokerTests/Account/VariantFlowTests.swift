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

/// Tokens of other combinations from the request to the store.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct VariantFlowTests {
    /// A grant of two scopes with an hour's token `A1`, a minute old.
    @LoopActor private func world(
        age: Int64 = 60,
        _ account: AccountConfiguration? = nil
    ) async throws -> World {
        await World.signedIn(try account ?? .plain(), age: age) {
            $0.scope = ["mail", "mail.read"]
            $0.token?.scope = ["mail", "mail.read"]
        }
    }

    @LoopActor @Test func `fifty clients with three combinations cost three refreshes, one at a time (engine rule 1)`()
        async throws
    {
        let world = try await world(age: 3600)
        let demands: [TokenDemand] = [TokenDemand(), .of(.read), .of(.calendar)]
        let calls = try (0..<50).map { try world.get(demands[$0 % 3]) }
        for number in 1...3 {
            let exchange = await world.transport.next()
            #expect(world.transport.waitingCount == 0 && world.transport.requests.count == number)
            #expect(exchange.form["refresh_token"] == "R\(number)", "each has the one before's refresh token")
            let token = exchange.form["scope"] == nil ? exchange.form["resource"] == nil ? "A" : "C" : "M"
            exchange.answer(.token(token, refresh: "R\(number + 1)"))
            await settle()
        }
        for (number, call) in calls.enumerated() {
            #expect(await call.token() == ["A", "M", "C"][number % 3])
        }
        #expect(world.transport.requests.count == 3)
        #expect(world.store.member("refresh_token")?.string == "R4")
    }

    @LoopActor @Test func `a refresh asks for exactly what is wanted (6749-16, 8707-1)`() async throws {
        var account = try AccountConfiguration.plain()
        account.resource = ["https://main.example"]
        account.audience = "main"
        let world = try await world(account)
        func form(_ variant: TokenVariant) async throws -> FormParameters {
            _ = try world.get(.of(variant))
            let exchange = await world.transport.next()
            exchange.answer(.token("X"))
            await settle()
            return exchange.form
        }
        let read = try #require(TokenVariant(scope: ["mail.read"], resources: nil, audience: nil, besides: account))
        let narrow = try await form(read)
        #expect(narrow["scope"] == "mail.read")
        #expect(narrow.values(of: "resource") == ["https://main.example"] && narrow["audience"] == "main")
        let two = try await form(TokenVariant(resources: ["https://b.example/x", "urn:a"]))
        #expect(two["scope"] == nil && two["audience"] == nil)
        #expect(two.values(of: "resource") == ["https://b.example/x", "urn:a"])
        let audience = try await form(.files)
        #expect(audience["audience"] == "files" && audience["resource"] == nil)
    }

    @LoopActor @Test func `the new refresh token is durable before anyone sees the token (engine rule 4)`() async throws
    {
        let world = try await world()
        let call = try world.get(.of(.calendar))
        let exchange = await world.transport.next()
        world.store.held = [.write]
        exchange.answer(.token("C1", refresh: "R2"))
        await settle()
        #expect(call.answer == nil)
        world.store.release()
        #expect(await call.token() == "C1")
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(world.store.member("scope")?.string == "mail mail.read")
        #expect(world.store.member("token")?.object?["access_token"]?.string == "A1", "it lives in memory alone")
        await world.restart()
        #expect(await (try world.get()).token() == "A1")
        let again = try world.get(.of(.calendar))
        let second = await world.transport.next()
        #expect(second.form["refresh_token"] == "R2")
        second.answer(.token("C2"))
        #expect(await again.token() == "C2")
    }

    @LoopActor @Test func `an answer that covers more than was asked for is not served, its refresh token is kept`()
        async throws
    {
        let world = try await world()
        let call = try world.get(.of(.read))
        await world.transport.next().answer(.token("M1", refresh: "R2", ["scope": "mail.read mail"]))
        let error = await call.failure()
        #expect(error?.kind == .providerError && error?.message.contains("“mail”") == true)
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(try world.get().answer?.get().token.accessToken == Secret("A1"))
        #expect(try world.get(.of(.read)).answer?.error?.kind == .providerError, "and not asked for again at once")
        await world.clock.advance(by: .seconds(61))
        let again = try world.get(.of(.read))
        let exchange = await world.transport.next()
        #expect(exchange.form["refresh_token"] == "R2")
        exchange.answer(.token("M2", ["scope": "mail.read"]))
        #expect(await again.token() == "M2")
    }

    @LoopActor @Test func `no word on the scope means the one that was asked for (6749-14)`() async throws {
        let world = try await world()
        let narrow = try world.get(.of(.read))
        await world.transport.next().answer(.token("M1"))
        #expect(try await narrow.ended().get().token.scope == ["mail.read"])
        let other = try world.get(.of(.calendar))
        await world.transport.next().answer(.token("C1"))
        #expect(try await other.ended().get().token.scope == ["mail", "mail.read"])
        #expect(world.store.member("scope")?.string == "mail mail.read")
    }

    @LoopActor
    @Test(arguments: [
        HTTPResponse.oauthError("invalid_target"), .oauthError("invalid_scope"), .oauthError("invalid_request"),
        .oauthError("access_denied", status: 403), .oauthError("odd_code"),
        .json(["error": "invalid_grant", "suberror": "consent_required", "error_codes": [65001]], status: 400),
    ])
    func `what a provider has against one combination leaves the grant and all others alone (8707-2)`(
        answer: HTTPResponse
    ) async throws {
        let world = try await world()
        let call = try world.get(.of(.calendar))
        await world.transport.next().answer(answer)
        #expect(await call.failure()?.kind == .providerError)
        let fresh = try world.get(.fresh)
        await world.transport.next().answer(.token("A2"))
        #expect(await fresh.token() == "A2")
        #expect(try world.account().statusState == .ready)
        #expect(world.log.events.contains { if case .tokenRefused = $0 { true } else { false } })
    }

    @LoopActor @Test func `what ends the grant ends it for all, whoever's refresh finds it`() async throws {
        let world = try await world()
        let calls = [try world.get(.of(.calendar)), try world.get(.of(.files)), try world.get(.fresh)]
        await world.transport.next().answer(.oauthError("invalid_grant"))
        for call in calls { #expect(await call.failure()?.kind == .loginRequired) }
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor @Test func `a client that the provider refuses is refused for all (6749-15)`() async throws {
        let world = try await world()
        let calls = [try world.get(.of(.calendar)), try world.get(.of(.files))]
        await world.transport.next().answer(.oauthError("invalid_client", status: 401))
        for call in calls { #expect(await call.failure()?.kind == .providerError) }
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor @Test func `a result that a logout has overtaken is nobody's (late result)`() async throws {
        let world = try await world()
        let call = try world.get(.of(.calendar))
        let exchange = await world.transport.next()
        world.transport.script = { _ in .success(HTTPResponse(status: 200)) }
        _ = await (try world.account()).logout(revoke: false)
        #expect(await call.failure()?.kind == .loginRequired)
        exchange.answer(.token("C1", refresh: "R2"))
        await settle()
        #expect(try world.get(.of(.calendar)).answer?.error?.kind == .loginRequired)
        #expect(world.store.member("refresh_token") == nil)
    }

    @LoopActor @Test func `an answer for another person serves nothing (OIDC-11)`() async throws {
        let issuer = try TestIssuer()
        let world = try await world(try .openID())
        world.transport.documents = issuer.documents
        let call = try world.get(.of(.calendar))
        let exchange = await world.transport.next()
        let token = try issuer.idToken(["sub": "mallory"], at: world.clock.now)
        exchange.answer(.token("C1", refresh: "R2", ["id_token": .string(token)]))
        #expect(await call.failure()?.data["reason"] == "subject")
        #expect(await (try world.get()).failure()?.data["reason"] == "subject")
    }

    @LoopActor @Test func `an answer that got lost is asked for once more (engine rule 6)`() async throws {
        let world = try await world()
        let call = try world.get(.of(.read))
        await world.transport.next().fail(.interrupted, mayHaveBeenSent: true)
        let second = await world.transport.next()
        #expect(second.form["scope"] == "mail.read" && second.form["refresh_token"] == "R1")
        second.answer(.token("M1", refresh: "R2"))
        #expect(await call.token() == "M1")
    }
}
