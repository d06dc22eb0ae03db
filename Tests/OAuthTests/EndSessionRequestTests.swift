// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Testing

/// The request that ends a session at the provider.
@Suite struct EndSessionRequestTests {
    @Test func `it names session, client and way back, each once (LOGOUT-1)`() throws {
        var request = EndSessionRequest(clientID: "app")
        request.idToken = Secret("a.b.c")
        request.redirectURI = "http://127.0.0.1:4000/signed-out"
        request.state = "S"
        #expect(
            try request.url(endpoint: WebURL("https://h/logout?tenant=1")).text
                == "https://h/logout?tenant=1&id_token_hint=a.b.c&client_id=app"
                + "&post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%3A4000%2Fsigned-out&state=S"
        )
        #expect(throws: OAuthError.self) { try request.url(endpoint: WebURL("https://h/logout?client_id=x")) }
    }

    @Test func `without a way back there is no state either (LOGOUT-1)`() throws {
        var request = EndSessionRequest(clientID: "app")
        request.state = "S"
        #expect(try request.url(endpoint: WebURL("https://h/logout")).text == "https://h/logout?client_id=app")
    }
}
