// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import StrictJSON
import TestSupport
import Testing

/// The provider is strict and misbehaves as told: what the other tests build on.
@Suite struct FakeProviderTests {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let redirectURI = "http://127.0.0.1:9/callback"

    private let provider: FakeProvider
    private let browser = BrowserStandIn(asksForIcon: false)

    init() throws { provider = try FakeProvider(.approving) }

    @Test func `a client that keeps the rules gets tokens and leaves no breach`() async throws {
        let tokens = try await signIn()
        #expect(tokens["token_type"]?.string == "Bearer")
        #expect(tokens["expires_in"]?.int64 == 3600)
        #expect(provider.accepts(accessToken: try #require(tokens["access_token"]?.string)))
        let refreshed = try await refresh(try #require(tokens["refresh_token"]?.string))
        #expect(refreshed["access_token"]?.string != nil)
        #expect(provider.breaches.isEmpty)
        #expect(provider.count(.token) == 2)
        #expect(provider.count(grantType: "refresh_token") == 1)
    }

    @Test func `the ID token is signed by the published key`() async throws {
        let compact = try #require(try await signIn()["id_token"]?.string)
        let keys = try #require(try await json(.jwks)["keys"]?.array)
        let parts = compact.split(separator: ".").map(String.init)
        let payload = try #require(Base64URL.decode(parts[1]))
        let claims = try #require(try JSONReader().read(payload).object)
        #expect(claims["iss"]?.string == provider.issuer)
        #expect(claims["aud"]?.string == "tokend")
        #expect(keys.count == 1)
    }

    @Test func `both discovery documents name the issuer with its path`() async throws {
        provider.change { $0.issuerPath = "/realms/one" }
        for endpoint in [ProviderEndpoint.openIDConfiguration, .oauthMetadata] {
            let document = try await json(endpoint)
            #expect(document["issuer"]?.string == provider.origin + "/realms/one")
        }
        #expect(provider.url(of: .openIDConfiguration).hasSuffix("/realms/one/.well-known/openid-configuration"))
        #expect(provider.url(of: .oauthMetadata).hasSuffix("/.well-known/oauth-authorization-server/realms/one"))
    }

    @Test func `a person signs in at the form, and a wrong password shows it again`() async throws {
        provider.change { $0.authorization = .form }
        let form = try await browser.request("GET", authorizationURL())
        let again = try await browser.submit(form, ["username": "alice", "password": "wrong", "answer": "allow"])
        #expect(again.status == 403)
        let fields = ["username": "alice", "password": "wonderland"]
        let location = try answer(in: try await browser.submit(again, fields, follows: false))
        #expect(location["code"] != nil)
        #expect(location["state"] == "state-state-state-state")
        #expect(location["iss"] == provider.issuer)
    }

    @Test func `a rotated refresh token that is used again ends the grant`() async throws {
        let first = try #require(try await signIn()["refresh_token"]?.string)
        let second = try #require(try await refresh(first)["refresh_token"]?.string)
        #expect(try await refresh(first)["error"]?.string == "invalid_grant")
        #expect(try await refresh(second)["error"]?.string == "invalid_grant")
        #expect(provider.breaches.map(\.rule) == [.refreshTokenReused])
    }

    @Test func `a rotated refresh token whose successor was lost is no breach and works within the grace`() async throws
    {
        provider.change { $0.refreshTokens = .rotating(grace: .seconds(30)) }
        let first = try #require(try await signIn()["refresh_token"]?.string)
        provider.script(.token, .closeAfterCommit())
        await #expect(throws: (any Error).self) { try await refresh(first) }
        #expect(try await refresh(first)["access_token"]?.string != nil)
        #expect(provider.breaches.isEmpty)
    }

    @Test func `a code is good for one use`() async throws {
        let code = try await code()
        _ = try await redeem(code)
        #expect(try await redeem(code)["error"]?.string == "invalid_grant")
        #expect(provider.breaches.map(\.rule) == [.codeReused])
        #expect(provider.liveRefreshTokens.isEmpty)
    }

    @Test(arguments: [
        ("code_verifier", "x", Breach.Rule.verifier), ("redirect_uri", "http://127.0.0.1:10/callback", .redirectURI),
        ("client_id", "someone", .clientUnknown), ("grant_type", "password", .grantType),
        ("scope", "", .emptyParameter), ("client_secret", "s", .clientAuthentication),
    ])
    func `a breach at the token endpoint is remembered`(name: String, value: String, rule: Breach.Rule) async throws {
        var parameters = codeParameters(try await code())
        parameters[name] = value
        #expect(try await post(.token, parameters)["error"] != nil)
        #expect(provider.breaches.map(\.rule) == [rule])
    }

    @Test(arguments: [
        ("state", "short", Breach.Rule.state), ("nonce", "short", .nonce),
        ("code_challenge_method", "plain", .plainChallenge),
        ("response_type", "token", .responseType), ("code_verifier", "v", .credentialsInURL),
        ("prompt", "", .emptyParameter),
    ])
    func `a breach at the authorization endpoint is remembered`(
        name: String,
        value: String,
        rule: Breach.Rule
    ) async throws {
        var parameters = authorizationParameters
        parameters[name] = value
        let page = try await browser.request("GET", provider.url(of: .authorize) + "?" + parameters.encoded)
        #expect(page.header("Location")?.contains("error=invalid_request") == true)
        #expect(provider.breaches.map(\.rule) == [rule])
    }

    @Test func `a hanging answer is let go, and a client that leaves is seen`() async throws {
        let gate = Gate()
        provider.script(.jwks, .hang(until: gate))
        async let document = json(.jwks)
        try await provider.next(.jwks, .arrived)
        gate.open()
        #expect(try await document["keys"] != nil)
        provider.script(.jwks, .hang(until: Gate()))
        let client = try RawConnection(try #require(HTTPAddress(provider.origin)))
        try client.send("GET /jwks HTTP/1.1\r\nHost: x\r\n\r\n")
        try await provider.next(.jwks, .arrived)
        client.hangUp()
        try await provider.next(.jwks, .abandoned)
    }

    @Test func `answers can be edited, cut and replaced`() async throws {
        provider.script(
            .openIDConfiguration,
            .editingJSON { $0["issuer"] = "https://other.example" },
            .captivePortal,
            .halfBody
        )
        #expect(try await json(.openIDConfiguration)["issuer"]?.string == "https://other.example")
        #expect(try await browser.request("GET", provider.url(of: .openIDConfiguration)).body.contains("terms"))
        let half = try await browser.request("GET", provider.url(of: .openIDConfiguration))
        #expect(throws: JSONError.self) { try JSONReader().read(half.body) }
    }

    @Test func `it refuses connections while stopped and comes back at the same port`() async throws {
        provider.stop()
        await #expect(throws: SystemCallError.self) { try await json(.jwks) }
        try provider.restart()
        #expect(try await json(.jwks)["keys"] != nil)
    }
}

extension FakeProviderTests {
    private var authorizationParameters: WireParameters {
        WireParameters([
            ("response_type", "code"), ("client_id", "tokend"), ("redirect_uri", Self.redirectURI),
            ("scope", "openid email"), ("state", "state-state-state-state"), ("nonce", "nonce-nonce-nonce-nonce"),
            ("code_challenge", Self.challenge), ("code_challenge_method", "S256"),
        ])
    }

    private func authorizationURL() -> String { provider.url(of: .authorize) + "?" + authorizationParameters.encoded }

    /// The parameters of a redirect; nobody listens where it leads.
    private func answer(in page: BrowserStandIn.Page) throws -> WireParameters {
        let query = try #require(page.header("Location")?.split(separator: "?").last)
        return WireParameters(String(query))
    }

    private func code() async throws -> String {
        try #require(try answer(in: try await browser.request("GET", authorizationURL()))["code"])
    }

    private func codeParameters(_ code: String) -> WireParameters {
        WireParameters([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirectURI),
            ("code_verifier", Self.verifier), ("client_id", "tokend"),
        ])
    }

    private func redeem(_ code: String) async throws -> JSONObject { try await post(.token, codeParameters(code)) }

    private func signIn() async throws -> JSONObject { try await redeem(try await code()) }

    private func refresh(_ token: String) async throws -> JSONObject {
        try await post(
            .token,
            WireParameters([("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "tokend")])
        )
    }

    private func post(_ endpoint: ProviderEndpoint, _ parameters: WireParameters) async throws -> JSONObject {
        let page = try await browser.request("POST", provider.url(of: endpoint), body: parameters.encoded)
        return try #require(try JSONReader().read(page.body).object)
    }

    private func json(_ endpoint: ProviderEndpoint) async throws -> JSONObject {
        let page = try await browser.request("GET", provider.url(of: endpoint))
        return try #require(try JSONReader().read(page.body).object)
    }
}
