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

/// The classification of refresh answers: what each kind does to the grant.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ClassificationTests {
    /// The token endpoint's first answer to a client that waits.
    @LoopActor private func answered(_ response: HTTPResponse) async throws -> (World, ProtocolError?) {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(response)
        return (world, await call.failure())
    }

    @LoopActor
    @Test(
        arguments: [
            .oauthError("invalid_grant"), .oauthError("invalid_grant", status: 200),
            .oauthError("invalid_grant", status: 401), .oauthError("invalid_grant", status: 403),
            .oauthError("bad_refresh_token", status: 200), .oauthError("invalid_refresh_token"),
            .oauthError("invalid_code", status: 200), .oauthError("refresh_token_reused", status: 401),
            .oauthError("expired_token"), .oauthError("INVALID_GRANT"),
            .json(["error": "unauthorized_client", "error_description": "refresh_token is invalid"], status: 403),
            .json(["error": "invalid_request", "error_description": "session not found"], status: 400),
            .json(["error": "invalid_grant", "suberror": "bad_token"], status: 400),
            .json(["ok": false, "error": "invalid_refresh_token"]),
            .json(
                ["error": "invalid_request", "error_description": "'refresh_token' in request was already revoked"],
                status: 400
            ),
        ] as [HTTPResponse]
    )
    func `needs login: the secrets go, and nobody asks again`(response: HTTPResponse) async throws {
        let (world, failure) = try await answered(response)
        #expect(failure?.kind == .loginRequired)
        #expect(failure?.data["reason"] == "ended")
        #expect(failure?.data["oauth_error"] != nil)
        #expect(world.store.member("refresh_token") == nil)
        await world.clock.advance(by: .seconds(3600))
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor @Test func `an end without a code is told in the provider's words`() async throws {
        let body: JSONObject = ["status": 400, "message": "Invalid refresh token"]
        let (world, failure) = try await answered(.json(body, status: 400))
        #expect(failure?.kind == .loginRequired && failure?.data["reason"] == "ended")
        #expect(failure?.data["oauth_error"] == nil)
        #expect(world.store.member("refresh_token") == nil)
        #expect(try world.account().status.fault?.message.contains("Invalid refresh token") == true)
        await world.restart()
        #expect(try world.account().status.fault?.message.contains("Invalid refresh token") == true)
    }

    @LoopActor
    @Test(
        arguments: [
            .oauthError("invalid_client", status: 401), .oauthError("unsupported_grant_type"),
            .oauthError("invalid_scope"), .oauthError("invalid_target"),
            .oauthError("incorrect_client_credentials", status: 200),
            .json(["error": "access_denied", "error_description": "Unauthorized"], status: 401),
            .page(status: 404), .page(status: 405), .page(status: 410),
        ] as [HTTPResponse]
    )
    func `needs config: the refresh token stays, no other way is tried, a reload resumes (engine rule 7)`(
        response: HTTPResponse
    ) async throws {
        let (world, failure) = try await answered(response)
        #expect(failure?.kind == .providerError)
        #expect(world.store.member("refresh_token")?.string == "R1")
        await world.clock.advance(by: .seconds(86_400))
        // One way of authenticating, one endpoint, one scope: what did not work is not probed for another.
        #expect(world.transport.requests.count == 1)
        world.reconfigure(try .plain())
        await world.clock.advance(by: .seconds(60))
        await world.transport.next().answer(.token("A2"))
        await settle()
        #expect(await (try world.get()).token() == "A2")
    }

    @LoopActor
    @Test(
        arguments: [
            .oauthError("invalid_grant", status: 429, headers: ["Retry-After": "120"]),
            .page(status: 429, headers: ["Retry-After": "120"]), .page(status: 503, headers: ["Retry-After": "120"]),
            .oauthError("slow_down", headers: ["Retry-After": "120"]),
            .oauthError("temporarily_unavailable", status: 503, headers: ["Retry-After": "120"]),
            .page(
                status: 429,
                headers: ["Date": "Tue, 05 May 2026 05:20:00 GMT", "Retry-After": "Tue, 05 May 2026 05:22:00 GMT"]
            ),
        ] as [HTTPResponse]
    )
    func `throttled: nobody asks before Retry-After, in seconds or as a date (B9)`(response: HTTPResponse) async throws
    {
        let (world, failure) = try await answered(response)
        #expect(failure?.kind == .providerUnreachable)
        #expect(failure?.data["retry_at"]?.int64 == HandClock.start.wall + 120)
        await world.clock.advance(by: .seconds(119))
        #expect(await (try world.get()).failure()?.kind == .providerUnreachable)
        #expect(world.transport.requests.count == 1)
        await world.clock.advance(by: .seconds(1))
        _ = try world.get()
        await world.transport.next().answer(.token("A2"))
    }

    @LoopActor @Test
    func `Retry-After is believed for an hour at most, and holds for all accounts of an endpoint (B9)`()
        async throws
    {
        let world = World([try .plain("a"), try .plain("b")])
        for name in ["a", "b"] {
            let account = try AccountConfiguration.plain(name).refreshing { $0.policy = .onDemand }
            world.store.put(GrantRecord.signedIn(account, at: world.clock.now, age: 3600).item(for: account))
        }
        await world.start()
        let first = try world.get(of: "a")
        await world.transport.next().answer(.page(status: 429, headers: ["Retry-After": "86400"]))
        #expect(await first.failure()?.data["retry_at"]?.int64 == HandClock.start.wall + 3600)
        let second = await (try world.get(of: "b")).failure()
        #expect(second?.kind == .providerUnreachable)
        #expect(second?.data["retry_at"]?.int64 == HandClock.start.wall + 3600)
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor
    @Test(
        arguments: [
            .page(status: 200), .page(status: 302), .page(status: 403), .page(status: 407), .page(status: 408),
            .page(status: 425), .page(status: 429), .page(status: 500), .page(status: 502), .page(status: 511),
            .oauthError("temporarily_unavailable"), .oauthError("server_error", status: 500),
            .oauthError("internal_failure"), .oauthError("slow_down"),
            .json(["error": "invalid_grant", "error_codes": [50196]], status: 400),
        ] as [HTTPResponse]
    )
    func `transient: the grant stays, a call may try again after 5 s (A8, B5, D)`(response: HTTPResponse) async throws {
        let (world, failure) = try await answered(response)
        #expect(failure?.kind == .providerUnreachable)
        #expect(failure?.data["retry_at"]?.int64 == HandClock.start.wall + 5)
        #expect(world.store.member("refresh_token")?.string == "R1")
        #expect(world.log.endings.isEmpty)
        #expect(failure?.message.contains("<html>") == false)
        await world.clock.advance(by: .seconds(5))
        _ = try world.get()
        await world.transport.next().answer(.token("A2"))
        await settle()
        #expect(await (try world.get()).token() == "A2")
    }

    @LoopActor
    @Test(
        arguments: [
            .json(["access_token": "", "token_type": "Bearer"]), .json(["access_token": "A2", "token_type": "mac"]),
            .json(["access_token": "A 2", "token_type": "Bearer"]), .json(["access_token": "A2"]),
        ] as [HTTPResponse]
    )
    func `an answer that breaks the specification is provider_error and is not served`(
        response: HTTPResponse
    ) async throws {
        let (world, failure) = try await answered(response)
        #expect(failure?.kind == .providerError)
        #expect(world.store.member("refresh_token")?.string == "R1")
        #expect(world.store.member("pending") == nil)
    }

    @LoopActor @Test func `a refused answer's new refresh token is stored, as from any other (engine rule 10)`()
        async throws
    {
        let (world, failure) = try await answered(
            .json(["access_token": "A2", "token_type": "mac", "refresh_token": "R2"])
        )
        #expect(failure?.kind == .providerError)
        #expect(world.store.member("refresh_token")?.string == "R2")
        await world.clock.advance(by: .seconds(60))
        _ = try world.get()
        #expect(await world.transport.next().form["refresh_token"] == "R2")
    }

    @LoopActor @Test func `a refused answer's refresh token that the store refuses, too, is written later (rule 4)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.locked
        exchange.answer(.json(["access_token": "A2", "token_type": "mac", "refresh_token": "R2"]))
        #expect(await call.failure() != nil)
        world.store.fault = nil
        world.broker.storeSignalled()
        await settle()
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(await (try world.get()).failure()?.kind == .providerError)
    }

    @LoopActor @Test func `a broader, narrower or reordered scope is recorded, and lacks are told (A10, 6749-14)`()
        async throws
    {
        var account = try AccountConfiguration.plain()
        account.scopes = ["mail", "calendar"]
        let world = await World.signedIn(account)
        let call = try world.get(TokenDemand(scope: Scope("calendar")))
        await world.transport.next().answer(.token("A2", ["scope": "mail openid"]))
        let failure = await call.failure()
        #expect(failure?.kind == .insufficientScope)
        #expect(failure?.data["granted"] == "mail openid")
        #expect(await (try world.get()).token() == "A2")
        #expect(world.store.member("scope")?.string == "mail openid")
    }
}
