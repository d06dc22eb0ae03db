// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import StrictJSON
import Testing

@Suite struct TokenRequestTests {
    let proofKey = ProofKey(entropy: Array(repeating: 7, count: 32))
    let endpoint: WebURL

    init() throws {
        endpoint = try WebURL("https://h/token?tenant=a")
    }

    private func send(
        _ request: TokenRequest,
        clientID: String = "app",
        _ authentication: ClientAuthentication = .none
    ) throws -> (HTTPRequest, FormParameters) {
        let sent = try request.httpRequest(endpoint: endpoint, clientID: clientID, authentication: authentication)
        let body = try #require(sent.body).reveal()
        let form = try #require(FormParameters.decode(body))
        return (sent, form)
    }

    private func code() throws -> TokenRequest {
        try .authorizationCode(Secret("c/1+2"), redirectURI: "http://127.0.0.1:4711/cb/", proofKey: proofKey)
    }

    @Test func `a code goes with its redirect and verifier (6749-3, 6749-5, 6749-7, 7636-3, A12)`() throws {
        let (request, form) = try send(code())
        #expect(request.method == .post)
        #expect(request.url == endpoint)
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.headers["Authorization"] == nil)
        #expect(
            form == [
                "grant_type": "authorization_code", "code": "c/1+2", "redirect_uri": "http://127.0.0.1:4711/cb/",
                "code_verifier": proofKey.verifier.reveal(), "client_id": "app",
            ]
        )
    }

    @Test func `a refresh asks for no scope of its own (6749-5, 6749-16)`() throws {
        let (_, form) = try send(.refresh(Secret("eyJfaWQmNzMtNGCJ9%6VFV5LNrZFUj8oU231/3Aj")))
        #expect(
            form == [
                "grant_type": "refresh_token", "refresh_token": "eyJfaWQmNzMtNGCJ9%6VFV5LNrZFUj8oU231/3Aj",
                "client_id": "app",
            ]
        )
        #expect(try send(.refresh(Secret("r"), scope: ["a", "b"])).1["scope"] == "a b")
    }

    @Test func `a client asks for itself (6749-3)`() throws {
        let (_, form) = try send(.clientCredentials(scope: ["x"], audience: "api"), .clientSecretPost(Secret("k")))
        #expect(
            form == [
                "grant_type": "client_credentials", "scope": "x", "audience": "api", "client_id": "app",
                "client_secret": "k",
            ]
        )
    }

    @Test func `values are form-encoded byte for byte (6749-4)`() throws {
        let request = try TokenRequest.refresh(Secret("a b&c=d+e%é/~"))
        let body = try send(request).0.body?.reveal()
        #expect(body == "grant_type=refresh_token&refresh_token=a+b%26c%3Dd%2Be%25%C3%A9%2F%7E&client_id=app")
    }

    @Test func `Basic encodes both halves and leaves the body alone (6749-4, A13)`() throws {
        let (request, form) = try send(
            .refresh(Secret("r")),
            clientID: "a:b c%",
            .clientSecretBasic(Secret("p+/:é"))
        )
        // base64("a%3Ab+c%25:p%2B%2F%3A%C3%A9")
        #expect(request.headers["Authorization"] == "Basic YSUzQWIrYyUyNTpwJTJCJTJGJTNBJUMzJUE5")
        #expect(form["client_id"] == nil && form["client_secret"] == nil)
    }

    @Test func `there is exactly one way of authentication (6749-4)`() throws {
        let secret = Secret("k")
        for way in [ClientAuthentication.none, .clientSecretBasic(secret), .clientSecretPost(secret)] {
            let (request, form) = try send(code(), way)
            let ways = [request.headers["Authorization"] != nil, form["client_secret"] != nil]
            #expect(ways.filter(\.self).count == (way == .none ? 0 : 1))
            #expect(form.values(of: "client_id").count <= 1)
        }
    }

    @Test func `a client with a key sends an assertion for this request (6749-4)`() throws {
        let key = try SigningKey.generate(.es256)
        let assertion = try ClientAssertion.make(
            key: key,
            clientID: "app",
            audience: "https://h/token",
            now: now,
            entropy: Array(repeating: 1, count: 16)
        )
        let (_, form) = try send(code(), .privateKeyJWT(assertion: assertion))
        #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        #expect(form["client_assertion"] == assertion.reveal())
        let signature = try JSONWebSignature(compact: assertion)
        try signature.verify(with: key.publicKey)
        let claims = try signature.claims()
        #expect(claims["iss"]?.string == "app" && claims["sub"]?.string == "app")
        #expect(claims["aud"]?.string == "https://h/token")
        #expect(claims["exp"]?.int64 == now + 60)
    }

    @Test func `resources and audience are sent with every request (8707-1)`() throws {
        let resources = ["https://a.example/", "https://b.example/"]
        #expect(try send(.refresh(Secret("r"), resources: resources)).1.values(of: "resource") == resources)
        #expect(throws: OAuthError.self) { try TokenRequest.refresh(Secret("r"), resources: ["x"]) }
    }

    @Test(arguments: Array(TokenRequest.reservedParameters).sorted())
    func `an account's parameters do not override the protocol's (6749-2)`(name: String) throws {
        var additional = FormParameters()
        additional.append(name, "x")
        #expect(throws: OAuthError.self) { try code().adding(additional) }
    }

    @Test func `an account's parameters and headers are sent`() throws {
        let request = try code().adding(["vendor": "1", "empty": ""])
        let sent = try request.httpRequest(
            endpoint: endpoint,
            clientID: "app",
            authentication: .none,
            headers: ["X-Vendor": "2"]
        )
        #expect(sent.headers["X-Vendor"] == "2")
        let body = try #require(sent.body).reveal()
        let form = try #require(FormParameters.decode(body))
        #expect(form["vendor"] == "1" && form["empty"] == nil)
    }

    @Test(arguments: Array(TokenRequest.reservedHeaders).sorted())
    func `an account's headers do not override the protocol's (6749-4)`(name: String) throws {
        var headers = HTTPHeaders()
        headers.append(name.uppercased(), "x")
        #expect(throws: OAuthError.self) {
            try code().httpRequest(endpoint: endpoint, clientID: "a", authentication: .none, headers: headers)
        }
    }

    @Test func `nothing secret is in a request's description (6749-18)`() throws {
        let request = try send(.refresh(Secret("canary")), .clientSecretPost(Secret("canary"))).0
        #expect(!"\(request)".contains("canary"))
        #expect(!String(reflecting: request).contains("canary"))
    }
}
