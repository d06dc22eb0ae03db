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
        try await signIn(stand)
        guard play.isRenewable else { return }
        try await renew(stand)
        try await refuse(stand)
    }

    @LoopActor private func signIn(_ stand: ProviderStand) async throws {
        let play = stand.play
        // A claimed URL is pasted by its person.
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
        let result = try await stand.login.wait(login).get()
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
        #expect(error?.data["reason"] == "ended" && error?.data["oauth_error"] == play.refusal.answer["error"])
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
