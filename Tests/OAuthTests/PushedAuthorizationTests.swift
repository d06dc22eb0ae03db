// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Testing

@testable import OAuth

/// Authorization requests that go to the provider directly (RFC 9126).
@Suite struct PushedAuthorizationTests {
    private let endpoint: WebURL
    private let request: AuthorizationRequest

    init() throws {
        endpoint = try WebURL("https://h/par")
        var request = AuthorizationRequest(
            clientID: "app",
            redirectURI: "http://127.0.0.1:4000/callback",
            scope: ["openid"],
            state: "S",
            nonce: "N",
            proofKey: ProofKey(entropy: Array(0..<32))
        )
        request.acrValues = "gold"
        self.request = request
    }

    private func metadata(_ more: JSONObject) throws -> ProviderMetadata {
        try ProviderMetadata(document: more)
    }

    @Test(
        arguments: [
            (.auto, [:], nil), (.never, [:], nil),
            (.auto, ["pushed_authorization_request_endpoint": "https://h/par"], nil),
            (.always, ["pushed_authorization_request_endpoint": "https://h/par"], "https://h/par"),
            (
                .auto,
                [
                    "pushed_authorization_request_endpoint": "https://h/par",
                    "require_pushed_authorization_requests": true,
                ], "https://h/par"
            ),
        ] as [(PushPolicy, JSONObject, String?)]
    )
    func `it is pushed where that is required or configured (9126-1)`(
        policy: PushPolicy,
        document: JSONObject,
        expected: String?
    ) throws {
        #expect(try metadata(document).pushEndpoint(policy)?.text == expected)
    }

    @Test func `an account and a provider that do not go together are told so (9126-1)`() throws {
        #expect(throws: OAuthError.self) { try metadata([:]).pushEndpoint(.always) }
        let demanding = try metadata(["require_pushed_authorization_requests": true])
        #expect(throws: OAuthError.self) { try demanding.pushEndpoint(.auto) }
        #expect(throws: OAuthError.self) { try demanding.pushEndpoint(.never) }
    }

    @Test func `the same parameters are posted, the client named once (9126-1, 6749-2)`() throws {
        let all = try request.parameters()
        for authentication in [
            ClientAuthentication.none, .clientSecretBasic(Secret("s")), .clientSecretBasicUnencoded(Secret("s")),
            .clientSecretPost(Secret("s")), .privateKeyJWT(assertion: Secret("a.b.c")),
        ] {
            let http = try request.pushed(to: endpoint, authentication: authentication)
            #expect(http.method == .post && http.url == endpoint)
            let form = FormParameters.decode(http.body?.reveal() ?? "") ?? [:]
            #expect(form.values(of: "client_id") == ["app"])
            for element in all { #expect(form.values(of: element.name) == [element.value]) }
        }
    }

    @Test func `the browser carries the client and the name alone (9126-1)`() throws {
        let url = try request.url(endpoint: WebURL("https://h/a?tenant=1"), requestURI: "urn:x:1")
        #expect(url.text == "https://h/a?tenant=1&client_id=app&request_uri=urn%3Ax%3A1")
        #expect(throws: OAuthError.self) {
            try request.url(endpoint: WebURL("https://h/a?client_id=1"), requestURI: "urn:x:1")
        }
    }

    private func answer(_ status: Int, _ body: String) -> PushedAuthorizationAnswer {
        .read(HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Array(body.utf8)))
    }

    @Test func `a good answer is 201 with a name and its time (9126-1)`() {
        let good = #"{"request_uri":"urn:x:1","expires_in":60}"#
        #expect(answer(201, good) == .accepted(requestURI: "urn:x:1", expiresIn: 60))
        for (status, body) in [
            (200, good), (302, good), (201, "{}"), (201, "<html>"), (201, #"{"request_uri":"urn:x:1"}"#),
            (201, #"{"request_uri":"urn:x:1","expires_in":0}"#), (201, #"{"request_uri":"no uri","expires_in":60}"#),
        ] {
            guard case .invalid = answer(status, body) else {
                Issue.record("\(status) \(body) was accepted")
                continue
            }
        }
    }

    @Test func `a refusal and an outage are told apart (9126-2)`() {
        #expect(
            answer(400, #"{"error":"invalid_scope"}"#)
                == .refused(OAuthErrorBody(error: "invalid_scope", status: 400))
        )
        #expect(answer(403, "") == .refused(OAuthErrorBody(error: "", status: 403)))
        for status in [429, 500, 503] {
            guard case .unavailable = answer(status, #"{"error":"server_error"}"#) else {
                Issue.record("HTTP \(status) was no outage")
                continue
            }
        }
    }
}
