// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Testing

@Suite struct AuthorizationRequestTests {
    let proofKey = ProofKey(entropy: Array(repeating: 7, count: 32))

    private func request(scope: Scope = ["openid", "email"], nonce: String? = "n") -> AuthorizationRequest {
        AuthorizationRequest(
            clientID: "app",
            redirectURI: "http://127.0.0.1:4711/cb",
            scope: scope,
            state: "s",
            nonce: nonce,
            proofKey: proofKey
        )
    }

    private func parameters(_ request: AuthorizationRequest, at endpoint: String = "https://h/authorize") throws
        -> FormParameters
    {
        let url = try request.url(endpoint: WebURL(endpoint))
        return try #require(url.queryParameters)
    }

    @Test func `the URL has all that a code request needs (6749-6, 7636-3, OIDC-1, 8252-8, 8252-9)`() throws {
        let sent = try parameters(request())
        #expect(
            sent.map { "\($0.name)=\($0.value)" } == [
                "response_type=code", "client_id=app", "redirect_uri=http://127.0.0.1:4711/cb", "scope=openid email",
                "state=s", "nonce=n", "code_challenge=\(proofKey.challenge)", "code_challenge_method=S256",
            ]
        )
    }

    @Test func `the verifier is not in it (7636-3)`() throws {
        let url = try request().url(endpoint: WebURL("https://h/authorize"))
        #expect(!url.text.contains(proofKey.verifier.reveal()))
    }

    @Test func `the endpoint's own query is kept (6749-1)`() throws {
        let url = try request().url(endpoint: WebURL("https://h/authorize?p=B2C_1_x"))
        #expect(url.text.hasPrefix("https://h/authorize?p=B2C_1_x&response_type=code&"))
    }

    @Test(arguments: ["https://h/a?client_id=x", "https://h/a?scope=x", "https://h/a?response_type=token"])
    func `nothing is sent twice (6749-2)`(endpoint: String) {
        #expect(throws: OAuthError.self) { try request().url(endpoint: WebURL(endpoint)) }
    }

    @Test func `nothing is sent empty (6749-2)`() throws {
        var request = request(scope: [], nonce: nil)
        request.loginHint = ""
        request.audience = ""
        request.additional = ["x": ""]
        let sent = try parameters(request)
        #expect(sent.allSatisfy { !$0.value.isEmpty })
        #expect(sent["scope"] == nil && sent["nonce"] == nil && sent["x"] == nil && sent["login_hint"] == nil)
    }

    @Test func `what the caller asks for is sent (9470-1)`() throws {
        var request = request()
        request.loginHint = "a+b@example.com"
        request.prompt = "select_account"
        request.acrValues = "phr phrh"
        request.maxAge = 0
        request.audience = "api.example.com"
        request.resources = ["https://a.example/", "https://b.example/x", "https://a.example/"]
        let sent = try parameters(request)
        #expect(sent["login_hint"] == "a+b@example.com")
        #expect(sent["prompt"] == "select_account")
        #expect(sent["acr_values"] == "phr phrh")
        #expect(sent["max_age"] == "0")
        #expect(sent["audience"] == "api.example.com")
        #expect(sent.values(of: "resource") == ["https://a.example/", "https://b.example/x"])
    }

    @Test(arguments: ["/api", "api.example.com", "https://h/#f", "", ":x", "1a:x", "https://h/ x", "https:"])
    func `a resource is an absolute URI without a fragment (8707-1)`(resource: String) {
        var request = request()
        request.resources = [resource]
        #expect(throws: OAuthError.self) { try request.parameters() }
    }

    @Test(arguments: ["urn:example:api", "https://api.example/v1?x=y", "api://1234"])
    func `any scheme will do for a resource (8707-1)`(resource: String) throws {
        var request = request()
        request.resources = [resource]
        #expect(try parameters(request).values(of: "resource") == [resource])
    }

    @Test(arguments: Array(AuthorizationRequest.reservedParameters).sorted())
    func `an account's parameters do not override the protocol's (6749-2, 7636-2, 9700-1)`(name: String) {
        var request = request()
        request.additional.append(name, "x")
        #expect(throws: OAuthError.self) { try request.parameters() }
    }

    @Test func `an account's parameters give way to what the caller asks for (6749-2)`() throws {
        var request = request()
        request.additional = ["access_type": "offline", "prompt": "consent"]
        request.prompt = "login"
        let sent = try parameters(request)
        #expect(sent.values(of: "prompt") == ["login"])
        #expect(sent["access_type"] == "offline")
        request.additional = ["a": "1", "a": "2"]
        #expect(throws: OAuthError.self) { try request.parameters() }
    }

    @Test func `values are encoded so that no shell or page takes them apart (8252-15)`() throws {
        var request = request()
        request.loginHint = #"$(id);`x`"'<>&|"#
        let url = try request.url(endpoint: WebURL("https://h/authorize"))
        #expect(url.text.hasPrefix("https://"))
        #expect(!url.text.contains { "$();`\"'<>| ".contains($0) })
        #expect(try parameters(request)["login_hint"] == #"$(id);`x`"'<>&|"#)
    }

    @Test func `consent is asked for with the first offline grant alone (OIDC-15, A16)`() {
        let offline: Scope = ["openid", "offline_access"]
        func prompt(
            _ asked: String?,
            _ configured: String?,
            _ scope: Scope,
            _ holdsGrant: Bool,
            consents: Bool = true
        ) -> String? {
            AuthorizationRequest.prompt(
                asked: asked,
                configured: configured,
                scope: scope,
                consents: consents,
                holdsGrant: holdsGrant
            )
        }
        #expect(prompt(nil, nil, offline, false) == "consent")
        #expect(prompt(nil, nil, offline, true) == nil)
        #expect(prompt(nil, nil, ["openid"], false) == nil)
        #expect(prompt(nil, "select_account", offline, false) == "select_account")
        #expect(prompt("login", "select_account", offline, false) == "login")
        #expect(prompt(nil, nil, offline, false, consents: false) == nil)
        #expect(prompt("consent", nil, offline, false, consents: false) == "consent")
    }

    @Test(
        arguments: [
            ("https://login.microsoftonline.com/organizations/v2.0", true), ("https://sts.windows.net/t/", true),
            ("https://LOGIN.microsoftonline.us/t/v2.0", true), ("https://login.partner.microsoftonline.cn/t", true),
            ("https://contoso.ciamlogin.com/t/v2.0", true), ("https://contoso.b2clogin.com/t/B2C_1_x/v2.0", true),
            ("https://login.live.com/oauth20_authorize.srf", true), ("https://ciamlogin.com.example/t", false),
            ("https://evil-login.microsoftonline.com.example/", false), ("https://idp.example", false),
            ("https://xciamlogin.com/t", false),
        ]
    )
    func `Microsoft's sign-ins are known by their hosts`(url: String, isMicrosofts: Bool) throws {
        #expect(try WebURL(url).isMicrosofts == isMicrosofts)
    }
}
