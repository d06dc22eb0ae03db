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

/// What comes before a browser opens.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LoginStartTests {
    @Test(arguments: [(StoreError.Code.locked, ErrorKind.storeLocked), (.unavailable, .storeUnavailable)])
    @LoopActor func `the store is asked first: where it would not take the grant, no browser opens`(
        code: StoreError.Code,
        kind: ErrorKind
    ) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.store.fault = StoreError(code: code, message: "the secret store says no")
        #expect(await stand.client.call(.loginStart, ["account": "work"]).kind == kind)
        #expect(stand.transport.requests.isEmpty && stand.world.redirects.opened.isEmpty)
    }

    @Test @LoopActor func `ID tokens that nobody could verify are no matter where none is asked for`() async throws {
        var account = try AccountConfiguration.openID()
        account.scopes = ["mail"]
        let stand = try await LoginStand([account])
        defer { stand.end() }
        stand.provider.publish(["id_token_signing_alg_values_supported": ["none"]])
        #expect(try await stand.start().listener.isOpen)
    }

    @Test @LoopActor func `an item of a newer tokend is left untouched and said`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let item = StoredItem(
            account: "work",
            issuer: "i",
            clientID: "c",
            label: "l",
            secret: .init(#"{"version":99,"refresh_token":"R"}"#)
        )
        stand.store.put(item)
        let error = await stand.client.call(.loginStart, ["account": "work"]).error
        #expect(error?.kind == .storeUnavailable && error?.message.contains("newer tokend") == true)
        #expect(stand.store.kept["work"] == item)
    }

    @Test(
        arguments: [
            ["issuer": "https://idp.example/"], ["issuer": "https://evil.example"], ["issuer": nil],
            ["token_endpoint": nil], ["authorization_endpoint": nil], ["token_endpoint": "http://idp.example/token"],
            ["authorization_endpoint": 1], ["require_pushed_authorization_requests": true],
            ["authorization_endpoint": "https://idp.example/authorize?state=x"],
            ["id_token_signing_alg_values_supported": ["none", "HS256"]], ["id_token_signing_alg_values_supported": []],
        ] as [JSONObject]
    )
    @LoopActor func `a document that breaks the rules is provider_error before a browser opens (DISC-4, DISC-6)`(
        changes: JSONObject
    ) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.provider.publish(changes)
        let error = await stand.client.call(.loginStart, ["account": "work"]).error
        #expect(error?.kind == .providerError)
        #expect(stand.world.redirects.opened.allSatisfy { !$0.isOpen })
    }

    @Test @LoopActor func `a provider that is away is provider_unreachable before a browser opens (28)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        for response in [HTTPResponse.page(status: 503), .page(status: 200)] {
            stand.transport.documents = [:]
            stand.transport.script = { _ in .success(response) }
            #expect(await stand.client.call(.loginStart, ["account": "work"]).kind == .providerUnreachable)
        }
        stand.transport.script = { _ in .failure(.test(.resolve, mayHaveBeenSent: false)) }
        let error = await stand.client.call(.loginStart, ["account": "work"]).error
        #expect(error?.kind == .providerUnreachable && error?.message.contains("idp.example") == true)
        #expect(stand.world.redirects.opened.isEmpty)
    }

    @Test @LoopActor func `an RFC 8414 document that cannot be had is no hindrance where there is the other (DISC-4)`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        let url = try Discovery(issuer: Issuer(PlayedProvider.name)).oauthURL.text
        stand.transport.documents[url] = nil
        stand.transport.script = { request in
            request.url.text == url ? .failure(.test(.timeout, mayHaveBeenSent: true)) : nil
        }
        #expect(try await stand.start().url.path == "/authorize")
    }

    private static func moved(_ place: String) -> HTTPResponse {
        HTTPResponse(status: 301, headers: ["Location": place])
    }

    @Test @LoopActor
    func `metadata and keys behind redirects of the same server are found, and no token goes that way`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        let moved = PlayedProvider.name + "/index.php/moved"
        let metadata = PlayedProvider.name + "/.well-known/openid-configuration"
        for (place, url) in [("m", metadata), ("k", PlayedProvider.keySetURL)] {
            stand.transport.documents["\(moved)/\(place)/2"] = stand.transport.documents[url]
            stand.transport.documents["\(moved)/\(place)/1"] = Self.moved("2")
            stand.transport.documents[url] = Self.moved("/index.php/moved/\(place)/1")
        }
        let login = try await stand.start()
        let page = stand.bringCode(login)
        let exchange = await stand.transport.next()
        exchange.answer(try stand.tokens(login))
        _ = await page.value
        #expect(await stand.wait(login).value?["subject"] == "alice")
    }

    @Test(arguments: ["https://elsewhere.example/x?secret", "/.well-known/openid-configuration"])
    @LoopActor func `a redirect to another server is not followed, nor one in a loop`(place: String) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.provider.publish(Self.moved(place))
        let error = await stand.client.call(.loginStart, ["account": "work"]).error
        #expect(error?.kind == .providerError && error?.message.contains("HTTP 301") == true)
        #expect(error?.message.contains("secret") == false)
        #expect(error?.message.contains("https://elsewhere.example") == (place.hasPrefix("https")))
        #expect(stand.provider.metadataFetches == (place.hasPrefix("https") ? 1 : 4))
        #expect(!stand.transport.requests.contains { $0.url.host == "elsewhere.example" })
    }

    @Test @LoopActor func `the URL holds what the standards ask for, and nothing twice`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start(["scope": "calendar mail", "login_hint": "a@b", "prompt": "login"])
        #expect(login.url.origin == PlayedProvider.name && login.url.path == "/authorize")
        #expect(login.query["tenant"] == "1" && login.query["client_id"] == "app")
        #expect(login.query["scope"] == "openid mail calendar" && login.query["response_type"] == "code")
        #expect(login.query["code_challenge_method"] == "S256" && login.query["login_hint"] == "a@b")
        #expect(login.query["prompt"] == "login" && login.query["redirect_uri"] == login.redirectURI)
        for name in ["state", "nonce", "code_challenge"] { #expect(login.query[name]?.utf8.count ?? 0 >= 22) }
        #expect(Set(login.query.map(\.name)).count == Array(login.query).count)
    }

    @Test @LoopActor func `each login has values of its own (9700-3)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let first = try await stand.start()
        let second = try await stand.start(["prompt": "login"])
        for name in ["state", "nonce", "code_challenge"] { #expect(first.query[name] != second.query[name]) }
        #expect(first.id != second.id)
    }

    @Test @LoopActor func `an account without an issuer needs no discovery and sends no nonce`() async throws {
        let stand = try await LoginStand([.plain()])
        defer { stand.end() }
        let login = try await stand.start()
        #expect(login.nonce == nil && stand.transport.requests.isEmpty)
    }

    @Test @LoopActor func `a new login asks for what was granted before, and for the same person (E10)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn(["scope": "calendar"])
        #expect(try await stand.start().query["scope"] == "openid mail calendar")
        #expect(try await stand.start(["prompt": "login"]).query["login_hint"] == "alice@idp.example")
        #expect(try await stand.start(["login_hint": "bob"]).query["login_hint"] == "bob")
        #expect(try await stand.start(["force": true]).query["login_hint"] == nil)
    }

    /// The `prompt` of the first login of an account that asks for offline access.
    @LoopActor private func prompt(
        authorization: String = "https://idp.example/authorize",
        _ change: (inout AccountConfiguration) -> Void = { _ in }
    ) async throws -> String? {
        var account = try AccountConfiguration.openID()
        account.scopes = ["openid", "offline_access"]
        change(&account)
        let stand = try await LoginStand([account])
        defer { stand.end() }
        stand.provider.publish(["authorization_endpoint": .string(authorization)])
        return try await stand.start().query["prompt"]
    }

    @Test @LoopActor func `consent is asked for with the first offline access, but at Microsoft's or against the file`()
        async throws
    {
        let entra = "https://login.microsoftonline.com/t/oauth2/v2.0/authorize"
        #expect(try await prompt() == "consent")
        #expect(try await prompt { $0.asksConsent = false } == nil)
        #expect(try await prompt(authorization: entra) == nil)
        #expect(try await prompt(authorization: entra) { $0.asksConsent = true } == "consent")
        #expect(try await prompt(authorization: entra) { $0.authorizationParameters = ["prompt": "login"] } == "login")
    }

    @Test(arguments: ["entra", "microsoft-personal"])
    @LoopActor func `no Microsoft preset asks for consent`(preset: String) async throws {
        let account = try BuiltInPresetTests.account(preset)
        let stand = try await LoginStand([account])
        defer { stand.end() }
        let issuer = try #require(account.issuer)
        stand.transport.documents[try Discovery(issuer: issuer).oauthURL.text] = .json([:], status: 404)
        stand.transport.documents[try Discovery(issuer: issuer).openIDURLs[0].text] = .json([
            "issuer": "https://login.microsoftonline.com/{tenantid}/v2.0", "jwks_uri": "https://idp.example/jwks",
            "authorization_endpoint": "https://login.microsoftonline.com/authorize",
            "token_endpoint": "https://login.microsoftonline.com/token", "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256"],
        ])
        let login = try await stand.start()
        #expect(login.query["scope"]?.contains("offline_access") == true && login.query["prompt"] == nil)
    }

    @Test @LoopActor func `offline_access is left out where the file says so, unless this login asks for it`()
        async throws
    {
        var account = try AccountConfiguration.openID()
        account.asksOfflineAccess = false
        let stand = try await LoginStand([account])
        defer { stand.end() }
        stand.provider.publish(["scopes_supported": ["openid", "mail", "offline_access"]])
        #expect(try await stand.start().query["scope"] == "openid mail")
        #expect(try await stand.start(["scope": "offline_access"]).query["scope"] == "openid mail offline_access")
        stand.world.reconfigure(try .openID())
        #expect(try await stand.start().query["scope"] == "openid mail offline_access")
    }

    @Test @LoopActor func `what another provider granted is not asked for`() async throws {
        let stand = try await LoginStand([.plain()])
        defer { stand.end() }
        let login = try await stand.start(["scope": "calendar"])
        _ = stand.bringCode(login)
        await stand.transport.next().answer(.token("A1", refresh: "R1"))
        _ = await stand.wait(login)
        var other = try AccountConfiguration.openID()
        other.clientID = "other"
        stand.world.reconfigure(other)
        #expect(try await stand.start().query["scope"] == "openid mail")
    }

    @Test @LoopActor func `the same again joins, anything else takes its place (D12)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let first = try await stand.start()
        let other = try stand.methods.client()
        let joined = try await stand.start(by: other)
        #expect(joined.id == first.id && joined.url == first.url && stand.world.redirects.opened.count == 1)
        let waiting = other.send(.loginWait, ["login_id": .string(first.id)])
        let second = try await stand.start(["scope": "calendar"])
        #expect(second.id != first.id)
        let error = await other.reply(to: waiting).error
        #expect(error?.kind == .cancelled && error?.message.contains("newer sign-in") == true)
        #expect(!first.listener.isOpen && second.listener.isOpen)
        let third = try await stand.start(["force": true])
        #expect(await stand.wait(first).kind == .cancelled)
        #expect(await stand.wait(second).kind == .cancelled)
        #expect(third.listener.isOpen)
    }

    @Test @LoopActor func `clients that join while the provider is asked are all told (E6)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let other = try stand.methods.client()
        let ids =
            [(stand.client, stand.client.send(.loginStart, ["account": "work"]))]
            + [(other, other.send(.loginStart, ["account": "work"]))]
        var logins: Set<String> = []
        for (client, id) in ids { logins.insert(try stand.started(await client.reply(to: id).get()).id) }
        #expect(logins.count == 1 && stand.provider.metadataFetches == 1)
    }

    @Test @LoopActor func `a pending login is told to token.get, in status, and to no one its URL`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        #expect(await stand.client.call(.tokenGet).kind == .loginRequired)
        let login = try await stand.start()
        let error = await stand.client.call(.tokenGet).error
        #expect(error?.kind == .loginPending && error?.data["login_id"]?.string == login.id)
        #expect(error?.data["account"]?.string == "work")
        let status = try await stand.client.call(.status).get()
        let account = status["accounts"]?.array?.first?.object
        #expect(account?["state"]?.string == "login_pending")
        #expect(account?["login"]?.object?["login_id"]?.string == login.id)
        #expect(account?["login"]?.object?["expires_at"]?.int64 == stand.clock.now.wall + 300)
        let told = JSONWriter.pretty(.object(status)) + (error.map { JSONWriter.pretty(.object($0.encoded())) } ?? "")
        #expect(!told.contains(login.state) && !told.contains("authorize"))
    }

    @Test @LoopActor func `a browser is opened where that is asked for, and one that does not open ends nothing`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        _ = try await stand.start()
        #expect(stand.world.browser.opened.isEmpty)
        let login = try await stand.start(["open_browser": true, "force": true])
        await settle()
        await stand.world.browser.opening(1)
        #expect(stand.world.browser.opened.map(\.text) == [login.startURL])
        stand.world.browser.fault = BrowserError(message: "there is no browser")
        let other = try await stand.start(["open_browser": true, "prompt": "login"])
        await settle()
        #expect(other.listener.isOpen)
    }
}
