// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Testing

@Suite struct IssuerTests {
    @Test(arguments: [
        "https://login.example.com", "https://login.example.com/", "https://h/api/auth", "https://h:8443/x/",
        "http://127.0.0.1:8080", "http://[::1]:8080/realms/a", "http://localhost:9000",
    ])
    func `https, or http on loopback, is an issuer (DISC-1)`(text: String) throws {
        #expect(try Issuer(text).text == text)
    }

    @Test(arguments: [
        "http://login.example.com", "https://h/?a=b", "https://h/#f", "https://user@h/", "login.example.com", "",
        "com.example.app:/x", "http://127.0.0.1.example.com",
    ])
    func `anything else is not (DISC-1, 6749-19)`(text: String) {
        #expect(throws: OAuthError.self) { try Issuer(text) }
    }

    @Test func `iss is compared byte for byte (OIDC-2, 9207-1)`() throws {
        let issuer = try Issuer("https://example.com/Auth")
        #expect(issuer.matches("https://example.com/Auth"))
        for other in ["https://example.com/Auth/", "https://example.com/auth", "https://EXAMPLE.com/Auth", ""] {
            #expect(!issuer.matches(other))
        }
    }

    @Test func `a preset's template takes a tenant's place (DISC-5, A15)`() throws {
        let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
        let issuer = try Issuer("https://login.microsoftonline.com/common/v2.0", template: template)
        let concrete = "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
        #expect(issuer.matches(concrete, tenant: "9188040d-6c67-4c5b-b112-36a304b66dad"))
        #expect(issuer.matches(concrete))
        #expect(!issuer.matches(concrete, tenant: "other"))
        #expect(!issuer.matches("https://login.microsoftonline.com/a/b/v2.0"))
        #expect(!issuer.matches("https://login.microsoftonline.com//v2.0"))
        #expect(!issuer.matches(template))
        #expect(throws: OAuthError.self) { try Issuer("https://h", template: "https://h/v2.0") }
    }
}

@Suite struct DiscoveryPlaceTests {
    @Test(arguments: [
        (
            "https://h/api/auth",
            [
                "https://h/api/auth/.well-known/openid-configuration",
                "https://h/.well-known/openid-configuration/api/auth",
            ],
            "https://h/.well-known/oauth-authorization-server/api/auth"
        ),
        (
            "https://h/api/auth/",
            [
                "https://h/api/auth/.well-known/openid-configuration",
                "https://h/.well-known/openid-configuration/api/auth",
            ],
            "https://h/.well-known/oauth-authorization-server/api/auth"
        ),
        (
            "https://contoso.auth0.com/", ["https://contoso.auth0.com/.well-known/openid-configuration"],
            "https://contoso.auth0.com/.well-known/oauth-authorization-server"
        ),
        (
            "http://127.0.0.1:8080", ["http://127.0.0.1:8080/.well-known/openid-configuration"],
            "http://127.0.0.1:8080/.well-known/oauth-authorization-server"
        ),
    ])
    func `the OpenID form appends, the OAuth form inserts (DISC-2, DISC-3)`(
        issuer: String,
        openID: [String],
        oauth: String
    ) throws {
        let discovery = try Discovery(issuer: Issuer(issuer))
        #expect(discovery.openIDURLs.map(\.text) == openID)
        #expect(discovery.oauthURL.text == oauth)
    }
}

@Suite struct DiscoveryReadingTests {
    let discovery: Discovery
    let document: JSONObject = [
        "issuer": "https://h/a", "authorization_endpoint": "https://h/authorize", "token_endpoint": "https://h/token",
        "code_challenge_methods_supported": ["S256"],
    ]

    init() throws {
        discovery = try Discovery(issuer: Issuer("https://h/a"))
    }

    private func with(_ changes: JSONObject) -> JSONObject {
        var changed = document
        for member in changes {
            changed[member.name] = member.value
        }
        return changed
    }

    private func fails(_ code: OAuthError.Code, openID: HTTPResponse?, oauth: HTTPResponse?) -> Bool {
        do {
            _ = try discovery.metadata(openID: openID, oauth: oauth)
            return false
        } catch {
            return error.code == code
        }
    }

    @Test func `the OAuth document fills what the OpenID one lacks (DISC-3)`() throws {
        let oauth = with(["token_endpoint": "https://h/other", "revocation_endpoint": "https://h/revoke"])
        let metadata = try discovery.metadata(openID: .json(document), oauth: .json(oauth))
        #expect(metadata.tokenEndpoint?.text == "https://h/token")
        #expect(metadata.revocationEndpoint?.text == "https://h/revoke")
        #expect(metadata.notes == [])
    }

    @Test func `either document will do (DISC-3)`() throws {
        let missing = HTTPResponse(status: 404)
        let page = HTTPResponse.text("<html>", type: "text/html")
        for other in [missing, page] {
            #expect(try discovery.metadata(openID: .json(document), oauth: other).issuer == "https://h/a")
            #expect(try discovery.metadata(openID: other, oauth: .json(document)).issuer == "https://h/a")
        }
        #expect(fails(.missingDocument, openID: missing, oauth: page))
        #expect(fails(.missingDocument, openID: page, oauth: missing))
        #expect(fails(.unavailable, openID: page, oauth: page))
        #expect(fails(.unavailable, openID: HTTPResponse(status: 503), oauth: missing))
    }

    @Test(arguments: ["https://h/a/", "https://h/A", "https://h:443/a", "http://h/a", "https://h"])
    func `another issuer refuses the document (DISC-4)`(issuer: String) {
        let wrong = with(["issuer": .string(issuer)])
        #expect(fails(.invalidDocument, openID: .json(wrong), oauth: nil))
        #expect(fails(.invalidDocument, openID: .json(wrong), oauth: .json(document)))
        #expect(fails(.invalidDocument, openID: HTTPResponse(status: 404), oauth: .json(wrong)))
    }

    @Test func `a slash too many is told (A14)`() {
        do {
            _ = try discovery.metadata(openID: .json(with(["issuer": "https://h/a/"])), oauth: nil)
            Issue.record("the document was accepted")
        } catch {
            #expect(error.message.contains("mind the slash"))
            #expect(error.message.contains("https://h/a/"))
        }
    }

    @Test func `an OAuth document that breaks the rules is left out beside a good one (DISC-4)`() throws {
        let wrong = with(["issuer": "https://h", "revocation_endpoint": "https://evil/revoke"])
        let metadata = try discovery.metadata(openID: .json(document), oauth: .json(wrong))
        #expect(metadata.revocationEndpoint == nil)
        #expect(metadata.notes.count == 1)
    }

    @Test(
        arguments: [
            ["token_endpoint": 1], ["token_endpoint": "http://h/token"], ["token_endpoint": "https://h/token#f"],
            ["token_endpoint": ["https://h/token"]], ["token_endpoint": "/token"],
        ] as [JSONObject]
    )
    func `an endpoint that cannot be asked is missing, with the reason (DISC-6, 6749-1, 6749-19)`(
        change: JSONObject
    ) throws {
        let metadata = try discovery.metadata(openID: .json(with(change)), oauth: nil)
        let error = #expect(throws: OAuthError.self) { try metadata.checkAuthorizationCodeFlow() }
        #expect(error?.code == .missingEndpoint && error?.message.contains("names a token_endpoint that") == true)
    }

    @Test(
        arguments: [
            ["jwks_uri": true], ["revocation_endpoint": ""], ["registration_endpoint": "/register"],
            ["introspection_endpoint": "http://h/i"], ["end_session_endpoint": "https://h/o#f"],
            ["code_challenge_methods_supported": ["S256": true]], ["grant_types_supported": 5],
            ["scopes_supported": ["openid", 1]], ["require_pushed_authorization_requests": 1],
        ] as [JSONObject]
    )
    func `what nobody uses refuses nothing (DISC-6)`(change: JSONObject) throws {
        let metadata = try discovery.metadata(openID: .json(with(change)), oauth: nil)
        try metadata.checkAuthorizationCodeFlow()
        #expect(metadata.notes.isEmpty == (change["revocation_endpoint"] == ""))
    }

    @Test func `lists and booleans are read as text, too`() throws {
        let metadata = try discovery.metadata(
            openID: .json(
                with([
                    "scopes_supported": "openid mail", "authorization_response_iss_parameter_supported": "true",
                    "require_signed_request_object": "false",
                ])
            ),
            oauth: nil
        )
        #expect(metadata.scopesSupported == ["openid", "mail"] && metadata.sendsIssuerInResponse)
        #expect(!metadata.requiresSignedRequests && metadata.notes.isEmpty)
    }

    @Test(arguments: [5, ["https://h/a"], true] as [JSONValue])
    func `an issuer that is no text refuses the document (DISC-4)`(issuer: JSONValue) {
        #expect(fails(.invalidDocument, openID: .json(with(["issuer": issuer])), oauth: nil))
    }

    @Test(arguments: [
        ("token_endpoint", "http://127.0.0.1:631/token"), ("revocation_endpoint", "http://127.1.2.3/revoke"),
        ("jwks_uri", "https://localhost/keys"), ("userinfo_endpoint", "http://[::1]:8080/me"),
        ("registration_endpoint", "http://localhost:2375/containers/create"),
        ("device_authorization_endpoint", "http://127.0.0.1/x"), ("end_session_endpoint", "http://127.0.0.1/x"),
        ("pushed_authorization_request_endpoint", "http://127.0.0.1/x"),
        ("introspection_endpoint", "http://127.0.0.1/x"),
        ("authorization_endpoint", "http://127.0.0.1/x"),
    ])
    func `a provider elsewhere sends nothing to a program on this machine`(member: String, url: String) throws {
        let changed = HTTPResponse.json(with([member: .string(url)]))
        for metadata in [
            try discovery.metadata(openID: changed, oauth: nil), try discovery.metadata(openID: nil, oauth: changed),
        ] {
            #expect(metadata.unusable[member]?.contains("this machine and not the provider") == true)
            #expect(!"\(metadata)".contains(url))
        }
        // One that is on this machine may.
        let here = try Discovery(issuer: Issuer("http://localhost:9000"))
        let document: JSONObject = ["issuer": "http://localhost:9000", member: .string(url)]
        #expect(try here.metadata(openID: .json(document), oauth: nil).unusable.isEmpty)
    }

    @Test func `unknown members and null are passed over (DISC-6)`() throws {
        let metadata = try discovery.metadata(
            openID: .json(with(["x": [1, ["y": true]], "jwks_uri": nil])),
            oauth: nil
        )
        #expect(metadata.keySetURL == nil)
    }

    @Test func `a document that is too large or broken is refused (DISC-6)`() {
        let large = with(["x": .string(String(repeating: "x", count: Discovery.sizeLimit))])
        #expect(fails(.invalidDocument, openID: .json(large), oauth: nil))
        #expect(fails(.invalidDocument, openID: .text(#"{"issuer":"#, type: "application/json"), oauth: nil))
        #expect(fails(.invalidDocument, openID: .text(#"{"issuer":"a","issuer":"b"}"#, type: "a/b"), oauth: nil))
    }

    @Test func `a templated issuer without its preset says what to do (A15)`() throws {
        let entra = try Discovery(issuer: Issuer("https://login.microsoftonline.com/common/v2.0"))
        do {
            _ = try entra.metadata(openID: .json(Vectors.metadata("entra-common-v2")), oauth: nil)
            Issue.record("the document was accepted")
        } catch let error as OAuthError {
            #expect(error.message.contains("preset"))
        }
        let preset = try Discovery(
            issuer: Issuer(
                "https://login.microsoftonline.com/common/v2.0",
                template: "https://login.microsoftonline.com/{tenantid}/v2.0"
            )
        )
        #expect(try preset.metadata(openID: .json(Vectors.metadata("entra-common-v2")), oauth: nil).keySetURL != nil)
    }
}
