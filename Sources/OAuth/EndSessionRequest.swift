// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets

/// The browser's request that ends the session at the provider, too (OpenID Connect RP-Initiated Logout 1.0, section
/// 2).
package struct EndSessionRequest: Sendable {
    /// Identifies the session and the client; without it a provider asks the user.
    package var idToken: Secret?

    /// The client's identifier.
    package var clientID: String

    /// Where the provider redirects the browser afterwards, byte for byte as registered; nil: nowhere.
    package var redirectURI: String?

    /// Returned with the browser; only useful with a redirect URI.
    package var state: String?

    /// A request for one client; the rest is set afterwards.
    package init(clientID: String) {
        self.clientID = clientID
    }

    /// The URL to open: the endpoint with its own query kept, nothing sent twice.
    package func url(endpoint: WebURL) throws(OAuthError) -> WebURL {
        var parameters = FormParameters()
        if let idToken { parameters.append("id_token_hint", idToken) }
        parameters.append("client_id", clientID)
        if let redirectURI {
            parameters.append("post_logout_redirect_uri", redirectURI)
            parameters.append("state", ifPresent: state)
        }
        let kept = endpoint.queryParameters ?? [:]
        for element in kept where parameters.secret(element.name) != nil {
            throw OAuthError(
                .invalidRequest,
                "the end-session endpoint's own query holds \(DisplayText.sanitized(element.name)), "
                    + "which the request sends too"
            )
        }
        return endpoint.appendingQuery(parameters)
    }
}
