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

/// An application's own token, which its backend gives for the provider's (`exchange` in the account's file).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ApplicationTokenTests {
    private static let backend = "https://app.example/session"

    @LoopActor private func stand(_ change: (inout AccountConfiguration) -> Void = { _ in }) async throws -> LoginStand
    {
        var account = try AccountConfiguration.openID()
        account.exchange = ApplicationExchange(url: try WebURL(Self.backend))
        change(&account)
        return try await LoginStand([account])
    }

    /// The backend gives out a token of that name.
    private static func session(_ token: String, life: Int64? = 3600) -> HTTPResponse {
        var object: JSONObject = ["token": .string(token)]
        object["expires_in"] = life.map { .integer($0) }
        return .json(object)
    }

    /// What was shown to the backend.
    @LoopActor private func shown(_ stand: LoginStand) -> [JSONObject] {
        stand.transport.posts.filter { $0.url.text == Self.backend }
            .compactMap { try? JSONReader().read(Array(($0.body?.reveal() ?? "").utf8)).object }
    }

    /// A login at the provider, and the backend's answer.
    @LoopActor private func signIn(
        _ stand: LoginStand,
        _ answer: HTTPResponse,
        refresh: String? = "R1"
    ) async throws -> MethodClient.Reply {
        let login = try await stand.start()
        let page = stand.bringCode(login)
        await stand.transport.next().answer(try stand.tokens(login, refresh: refresh))
        let exchange = await stand.transport.next()
        #expect(exchange.request.url.text == Self.backend && exchange.request.headers["Authorization"] == nil)
        exchange.answer(answer)
        _ = await page.value
        return await stand.wait(login)
    }

    /// The provider's answer to the refresh that is under way, with a new ID token.
    @LoopActor private func renew(_ stand: LoginStand, _ access: String, _ refresh: String) async throws {
        let exchange = await stand.transport.next()
        #expect(exchange.form["grant_type"] == "refresh_token")
        let token = try stand.provider.idToken(nonce: nil)
        exchange.answer(.token(access, refresh: refresh, ["id_token": .string(token)]))
    }

    @Test @LoopActor func `the ID token goes to the backend, and its answer is what is served`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        let result = try await signIn(stand, Self.session("S1", life: 600)).get()
        #expect(result["expires_at"] == .integer(HandClock.start.wall + 600))
        let token = try await stand.client.call(.tokenGet, ["id_token": true]).get()
        #expect(token["access_token"] == "S1" && token["expires_in"] == 600 && token["renewable"] == true)
        #expect(token["scope"] == "openid mail")
        #expect(shown(stand).map { $0["token"] } == [token["id_token"]])
        // The record outlives a restart, and costs nobody a request.
        let count = stand.transport.requests.count
        await stand.world.restart()
        #expect(try await stand.world.get().token() == "S1" && stand.transport.requests.count == count)
    }

    @Test(arguments: [HTTPResponse.json(["session": "S1"]), HTTPResponse(status: 200, body: Array("<html>".utf8))])
    @LoopActor
    func `an answer without a token is told at the sign-in, and the grant is revoked`(_ nonsense: HTTPResponse)
        async throws
    {
        let stand = try await stand()
        defer { stand.end() }
        let reply = try await signIn(stand, nonsense)
        #expect(reply.kind == .providerError, "\(reply)")
        #expect(reply.error?.message.contains("app.example") == true)
        await settle()
        #expect(stand.store.kept["work"] == nil)
        #expect(await stand.client.call(.tokenGet).kind == .loginRequired)
    }

    @Test @LoopActor func `names of the account's own, and the access token instead`() async throws {
        let stand = try await stand { account in
            account.exchange?.subject = .accessToken
            account.exchange?.field = "provider_token"
            account.exchange?.token = "data.session"
            account.exchange?.expiresIn = "data.ttl"
        }
        defer { stand.end() }
        _ = try await signIn(stand, .json(["data": ["session": "S1", "ttl": 60]])).get()
        #expect(shown(stand) == [["provider_token": "A1"]])
        let token = try await stand.client.call(.tokenGet).get()
        #expect(token["access_token"] == "S1" && token["expires_in"] == 60)
    }

    @Test @LoopActor func `it is renewed in silence through the provider's refresh token`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        _ = try await signIn(stand, Self.session("S1", life: 600)).get()
        await stand.clock.advance(by: .seconds(590))
        try await renew(stand, "A2", "R2")
        let exchange = await stand.transport.next()
        // The rotated refresh token is durable before the backend is shown anything.
        #expect(stand.store.kept["work"]?.secret.reveal().contains("\"R2\"") == true)
        exchange.answer(Self.session("S2"))
        await settle()
        #expect(try await stand.world.get().token() == "S2")
        #expect(shown(stand).count == 2 && shown(stand)[0] != shown(stand)[1])
    }

    @Test @LoopActor func `one that an API refused is traded anew, for a fresh token of the provider`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        _ = try await signIn(stand, Self.session("S1")).get()
        let waiting = stand.client.send(.tokenGet, ["rejected": "S1"])
        try await renew(stand, "A2", "R2")
        await stand.transport.next().answer(Self.session("S2"))
        let token = try await stand.client.reply(to: waiting).get()
        #expect(token["access_token"] == "S2" && token["refreshed"] == true)
        #expect(await stand.client.call(.tokenGet, ["rejected": "S2"]).kind == .tokenRejected)
    }

    @Test @LoopActor func `at start one that ends within a day is renewed, although its life is long`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        _ = try await signIn(stand, Self.session("S1", life: 30 * 86_400)).get()
        await stand.world.broker.keepTokens(within: .seconds(10))
        stand.world.broker.stop()
        stand.clock.forgetTimers()
        await stand.clock.advance(by: .seconds(29 * 86_400 + 3600))
        await stand.world.restart()
        await stand.clock.advance(by: .seconds(31))
        // The ID token of the login is long over, so the provider is asked first.
        try await renew(stand, "A2", "R2")
        await stand.transport.next().answer(Self.session("S2"))
        await settle()
        #expect(try await stand.world.get().token() == "S2")
    }

    @Test @LoopActor func `a backend that is away is asked again, and the provider is not`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        _ = try await signIn(stand, Self.session("S1", life: 600)).get()
        await stand.clock.advance(by: .seconds(590))
        try await renew(stand, "A2", "R2")
        await stand.transport.next().answer(.page(status: 503))
        await settle()
        // What still holds is served, and the outage is told where it does not.
        #expect(try await stand.world.get().token() == "S1")
        let error = await stand.client.call(.tokenGet, ["min_valid": 300]).error
        #expect(error?.kind == .providerUnreachable && error?.message.contains("app.example") == true)
        #expect(error?.data["retry_at"] != nil)
        // Also after a restart: the record says what is pending.
        await stand.world.restart()
        await stand.clock.advance(by: .seconds(31))
        await stand.transport.next().answer(Self.session("S2"))
        await settle()
        #expect(try await stand.world.get().token() == "S2")
        #expect(stand.transport.refreshes.count == 1 && shown(stand)[1] == shown(stand)[2])
    }

    @Test(arguments: [401, 403, 404, 422])
    @LoopActor func `a backend's refusal is told as it is, and is not the grant's end`(status: Int) async throws {
        let stand = try await stand()
        defer { stand.end() }
        _ = try await signIn(stand, Self.session("S1", life: 600)).get()
        await stand.clock.advance(by: .seconds(601))
        try await renew(stand, "A2", "R2")
        await stand.transport.next().answer(.json(["message": "no seat\u{1B}[31m left"], status: status))
        await settle()
        let error = await stand.client.call(.tokenGet).error
        #expect(error?.kind == .providerError && error?.data["http_status"] == .integer(Int64(status)))
        #expect(error?.data["host"] == "app.example")
        #expect(error?.message.contains("no seat") == true && error?.message.contains("\u{1B}") == false)
        #expect(stand.world.log.endings.isEmpty && stand.store.kept["work"]?.secret.reveal().contains("R2") == true)
        // A minute later the next one who asks gets another try, with a fresh token of the provider.
        await stand.clock.advance(by: .seconds(61))
        let waiting = stand.client.send(.tokenGet)
        try await renew(stand, "A3", "R3")
        await stand.transport.next().answer(Self.session("S2"))
        #expect(try await stand.client.reply(to: waiting).get()["access_token"] == "S2")
    }

    @Test @LoopActor func `no word of the backend's repeats the token that it was shown`() async throws {
        let stand = try await stand { $0.exchange?.subject = .accessToken }
        defer { stand.end() }
        let login = try await stand.start()
        let page = stand.bringCode(login)
        let canary = "canary-0123456789abcdef"
        let token = try stand.provider.idToken(nonce: login.nonce)
        await stand.transport.next().answer(.token(canary, refresh: "R1", ["id_token": .string(token)]))
        await stand.transport.next().answer(
            .json(["error": "bad", "message": .string("I hate \(canary)")], status: 400)
        )
        _ = await page.value
        let error = await stand.wait(login).error
        #expect(error?.kind == .providerError && error?.message.contains("I hate") == true)
        #expect(error?.message.contains(canary) == false)
    }

    @Test @LoopActor func `a login that the backend refuses keeps nothing, one that it is away for does`() async throws
    {
        let stand = try await stand()
        defer { stand.end() }
        #expect(try await signIn(stand, .json(["error": "unknown_user"], status: 403)).error?.kind == .providerError)
        await settle()
        #expect(stand.store.written.isEmpty && stand.revoked == ["R1", "A1"])
        let away = try await signIn(stand, .page(status: 502), refresh: nil)
        #expect(away.error?.kind == .providerUnreachable && stand.store.written.isEmpty)
        #expect(try await signIn(stand, .page(status: 502)).get()["renewable"] == true)
        await stand.clock.advance(by: .seconds(1))
        await stand.transport.next().answer(Self.session("S1"))
        await settle()
        #expect(try await stand.world.get().token() == "S1" && stand.transport.refreshes.isEmpty)
    }

    @Test @LoopActor func `where the provider gives no new ID token, a person is needed, and that is said`()
        async throws
    {
        let stand = try await stand()
        defer { stand.end() }
        _ = try await signIn(stand, Self.session("S1", life: 7200)).get()
        // The login's ID token holds for an hour: within it, it does.
        let waiting = stand.client.send(.tokenGet, ["fresh": true])
        await stand.transport.next().answer(.token("A2", refresh: "R2"))
        await stand.transport.next().answer(Self.session("S2", life: 7200))
        #expect(try await stand.client.reply(to: waiting).get()["access_token"] == "S2")
        await stand.clock.advance(by: .seconds(3601))
        let late = stand.client.send(.tokenGet, ["fresh": true])
        await stand.transport.next().answer(.token("A3", refresh: "R3"))
        let error = await stand.client.reply(to: late).error
        #expect(error?.kind == .loginRequired && error?.message.contains("tokenctl login work") == true)
        #expect(try await stand.world.get().token() == "S2", "it holds still")
        #expect(shown(stand).count == 2)
    }

    @Test @LoopActor func `the application's token is not shown to the provider at a logout`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        _ = try await signIn(stand, Self.session("S1")).get()
        #expect(try await stand.client.call(.logout, ["account": "work"]).get()["revoked"] == true)
        #expect(stand.revoked == ["R1"])
    }

    @Test @LoopActor func `a grant goes to no other backend than the one it was made for`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        _ = try await signIn(stand, Self.session("S1")).get()
        var account = try AccountConfiguration.openID()
        for url in ["https://evil.example/session", nil] {
            account.exchange = try url.map { ApplicationExchange(url: try WebURL($0)) }
            stand.world.reconfigure(account)
            let error = await stand.client.call(.tokenGet).error
            #expect(error?.kind == .loginRequired && error?.data["reason"] == "config_changed")
        }
        account.exchange = ApplicationExchange(url: try WebURL(Self.backend))
        stand.world.reconfigure(account)
        #expect(try await stand.world.get().token() == "S1")
    }
}
