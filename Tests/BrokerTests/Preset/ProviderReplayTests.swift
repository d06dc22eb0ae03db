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

/// Each built-in preset against its provider's own metadata and answers, from `login.start` to the end of the grant.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ProviderReplayTests {
    @Test func `every preset is played`() {
        #expect(Set(ProviderPlay.all.map(\.name)) == Set(ProviderPresets.builtIn.names))
        #expect(ProviderPlay.all.count == ProviderPresets.builtIn.names.count)
    }

    @Test(arguments: ProviderPlay.all)
    @LoopActor func `a person signs in, the grant is renewed, and its end is told`(play: ProviderPlay) async throws {
        let stand = try await ProviderStand(play)
        defer { stand.end() }
        if stand.account.flow == .device {
            try await signInWithCode(stand)
        } else {
            try await signIn(stand)
        }
        guard play.isRenewable else { return }
        try await renew(stand)
        try await refuse(stand)
    }

    @LoopActor private func signIn(_ stand: ProviderStand) async throws {
        // A claimed URL is pasted by its user.
        let isPasted = stand.account.redirects.first?.url.scheme == "https"
        let login = try await stand.login.start(isPasted ? ["completes": true] : [:])
        #expect(login.url.origin + login.url.path == stand.authorization)
        #expect(login.query["client_id"] == "app" && login.query["code_challenge_method"] == "S256")
        let dialect = stand.account.dialect
        let scope = login.query[dialect.scopeParameter]?.split(separator: dialect.scopeSeparator).map(String.init) ?? []
        #expect(Set(scope).isSuperset(of: stand.account.scopes.tokens))
        for parameter in stand.account.authorizationParameters {
            #expect(login.query[parameter.name] == parameter.value)
        }
        if let redirect = stand.account.redirects.first {
            #expect(login.redirectURI == (isPasted ? redirect.url.text : redirect.text(port: login.listener.port)))
        }
        let query = stand.homecoming(login)
        let page = isPasted ? nil : stand.login.browse(login, query)
        if isPasted {
            _ = stand.client.send(.loginComplete, ["url": .string(login.redirectURI + "?" + query.encoded().reveal())])
        }
        let exchange = await stand.login.transport.next()
        #expect(exchange.request.url.text == stand.token && exchange.form["redirect_uri"] == login.redirectURI)
        #expect(stand.showsClient(exchange.request))
        exchange.answer(.json(try stand.answer(to: login)))
        _ = await page?.value
        try await checkEnd(stand, try await stand.login.wait(login).get())
    }

    @LoopActor private func checkEnd(_ stand: ProviderStand, _ result: JSONObject) async throws {
        let play = stand.play
        #expect(result["renewable"] == .bool(play.isRenewable))
        if let scope = play.scope { #expect(Scope(result["scope"]?.string ?? "") == Scope(scope)) }
        let token = try await stand.client.call(.tokenGet, ["account": "work"]).get()
        #expect(token["expires_in"]?.int64 == play.lifetime, "\(token["expires_in"] ?? .null)")
        #expect(token["token_type"] == "Bearer")
        for name in play.extra { #expect(token["extra"]?.object?[name] != nil, "\(name)") }
    }

    @LoopActor private func renew(_ stand: ProviderStand) async throws {
        let play = stand.play
        let reply = stand.client.send(.accountRefresh, ["account": "work"])
        let exchange = await stand.login.transport.next()
        let old = play.answer["authed_user"]?.object ?? play.answer
        #expect(exchange.request.url.text == stand.token)
        #expect(exchange.form["grant_type"] == "refresh_token" && stand.showsClient(exchange.request))
        // GitLab wants it again.
        let redirect = play.name == "gitlab" ? stand.login.exchanges.last?["redirect_uri"] : nil
        #expect(exchange.form["redirect_uri"] == redirect)
        #expect(exchange.form["refresh_token"] == old["refresh_token"]?.string)
        let renewal = play.renewal ?? old.with(["refresh_token": .null])
        exchange.answer(.json(renewal.with(["access_token": "a2", "id_token": .null])))
        #expect(await stand.client.reply(to: reply).kind == nil)
        let token = try await stand.client.call(.tokenGet, ["account": "work"]).get()
        #expect(token["access_token"] == "a2")
        if play.lifetime != nil { #expect((token["expires_in"]?.int64 ?? 0) <= 700_000_000) }
        if play.name == "zoho" { #expect(token["expires_in"] == 3600) }
    }

    @LoopActor private func refuse(_ stand: ProviderStand) async throws {
        let play = stand.play
        let reply = stand.client.send(.accountRefresh, ["account": "work"])
        let exchange = await stand.login.transport.next()
        let held = play.renewal?["refresh_token"] ?? play.answer["refresh_token"]
        if let held { #expect(exchange.form["refresh_token"] == held.string) }
        exchange.answer(.json(play.refusal.answer, status: play.refusal.status))
        let error = await stand.client.reply(to: reply).error
        #expect(error?.kind.rawValue == play.refused)
        // Google's asks for the user and says nothing against the grant.
        #expect(error?.data["reason"]?.string == (play.name == "google" ? "refused" : "ended"))
        #expect(error?.data["oauth_error"] == play.refusal.answer["error"])
    }

    /// A sign-in by the device flow, in the provider's own shapes (RFC 8628).
    @LoopActor private func signInWithCode(_ stand: ProviderStand) async throws {
        let play = stand.play
        let reply = stand.client.send(.loginStart, ["account": "work", "flow": "device"])
        let codes = await stand.login.transport.next()
        #expect(codes.request.url == stand.account.endpoints.deviceAuthorization && stand.showsClient(codes.request))
        #expect(codes.request.headers["Accept"] == "application/json")
        let asked = Scope(codes.form[stand.account.dialect.deviceScopeParameter] ?? "")
        #expect(asked.contains(all: stand.account.scopes))
        codes.answer(play.codesAsForm ? .codesAsForm : .json(DeviceStand.codes))
        let started = try await stand.client.reply(to: reply).get()
        #expect(started["user_code"] == "WDJB-MJHT" && started["interval"] == 5)
        var interval: Int64 = 5
        for wait in play.pending {
            try await poll(stand, after: interval).answer(.json(wait.answer, status: wait.status))
            interval = wait.answer["interval"]?.int64 ?? interval
        }
        var answer = play.answer
        if stand.account.scopes.contains("openid") { answer["id_token"] = .string(try stand.idToken(nonce: nil)) }
        try await poll(stand, after: interval).answer(.json(answer))
        let end = await stand.client.call(.loginWait, ["login_id": started["login_id"] ?? .null])
        try await checkEnd(stand, end.get())
    }

    /// The poll that is sent after so many seconds, and no sooner.
    @LoopActor private func poll(_ stand: ProviderStand, after seconds: Int64) async throws
        -> ScriptedTransport.Exchange
    {
        await stand.login.clock.advance(by: .milliseconds(seconds * 1000 - 1))
        #expect(stand.login.transport.waitingCount == 0)
        await stand.login.clock.advance(by: .milliseconds(1))
        let exchange = await stand.login.transport.next()
        #expect(exchange.request.url.text == stand.token && stand.showsClient(exchange.request))
        #expect(exchange.form["grant_type"] == TokenRequest.deviceGrantType)
        return exchange
    }

    /// The presets whose providers do both are signed in to with a code, too.
    @Test @LoopActor func `GitLab gives codes where its metadata does not say so`() async throws {
        let play = try #require(ProviderPlay.all.first { $0.name == "gitlab" })
        let stand = try await ProviderStand(play)
        defer { stand.end() }
        #expect(stand.account.endpoints.deviceAuthorization?.text == "https://gitlab.com/oauth/authorize_device")
        try await signInWithCode(stand)
        // Nothing was redirected, so there is nothing to send again.
        let reply = stand.client.send(.accountRefresh, ["account": "work"])
        let exchange = await stand.login.transport.next()
        #expect(exchange.form["grant_type"] == "refresh_token" && exchange.form["redirect_uri"] == nil)
        exchange.answer(.token("a2", refresh: "r2"))
        #expect(await stand.client.reply(to: reply).kind == nil)
    }

    @Test @LoopActor func `GitLab's redirect outlives a restart`() async throws {
        let play = try #require(ProviderPlay.all.first { $0.name == "gitlab" })
        let stand = try await ProviderStand(play)
        defer { stand.end() }
        try await signIn(stand)
        let sent = try #require(stand.login.exchanges.last?["redirect_uri"])
        await stand.login.world.restart()
        let call = try stand.login.world.get(.fresh)
        let exchange = await stand.login.transport.next()
        #expect(exchange.form["redirect_uri"] == sent)
        exchange.answer(.token("a2"))
        #expect(await call.token() == "a2")
    }

    @Test @LoopActor func `INDIGO IAM registers its client itself, for the way home that the preset has (7591-1)`()
        async throws
    {
        let preset = try #require(try ProviderPresets.builtIn.preset("indigo-iam"))
        #expect(preset.registersClients)
        let text = #"{ provider: "indigo-iam", set: { issuer: "https://idp.example" } }"#
        let account = try AccountConfiguration.read(
            name: "work",
            source: ConfigurationSource(file: "/a/work.json5", bytes: Array(text.utf8))
        ) { _ in nil }
        let stand = try await LoginStand([account])
        defer { stand.end() }
        stand.provider.publish(["registration_endpoint": "https://idp.example/register"])
        let reply = stand.client.send(.loginStart, ["account": "work"])
        let exchange = await stand.transport.next()
        let asked = exchange.request.body?.withUnsafeBytes { try? JSONReader().read($0) }?.object
        #expect(asked?["redirect_uris"] == ["http://localhost:43985/callback"])
        exchange.answer(.json(["client_id": "reg-1"], status: 201))
        #expect(try stand.started(await stand.client.reply(to: reply).get()).query["client_id"] == "reg-1")
    }

    @Test @LoopActor func `Atlassian's access_denied is a wrong secret, and the grant lives on`() async throws {
        let play = try #require(ProviderPlay.all.first { $0.name == "atlassian" })
        let stand = try await ProviderStand(play)
        defer { stand.end() }
        try await signIn(stand)
        let reply = stand.client.send(.accountRefresh, ["account": "work"])
        await stand.login.transport.next().answer(.oauthError("access_denied", status: 401))
        #expect(await stand.client.reply(to: reply).kind == .providerError)
        #expect(stand.login.store.member("refresh_token") != nil)
    }
}

extension HTTPResponse {
    /// GitHub's codes where JSON was not asked for, or not given.
    fileprivate static let codesAsForm = HTTPResponse(
        status: 200,
        headers: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"],
        body: Array(
            ("device_code=3584d83530557fdd1f46af8289938c8ef79f9dc5&expires_in=900&interval=5&user_code=WDJB-MJHT"
                + "&verification_uri=https%3A%2F%2Fgithub.com%2Flogin%2Fdevice").utf8
        )
    )
}
