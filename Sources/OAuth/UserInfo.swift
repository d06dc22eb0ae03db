// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets
import StrictJSON

/// The user's claims from a provider's user-information endpoint (OpenID Connect Core, section 5.3).
package struct UserInfo: Sendable, Hashable {
    /// `sub`
    package let subject: String
    /// `email`
    package let email: String?
    /// `preferred_username`
    package let preferredUsername: String?
    /// `name`
    package let name: String?

    /// The user's visible name: the e-mail address, else the preferred user name.
    package var identity: String? { email ?? preferredUsername }

    /// The size limit.
    package static let sizeLimit = 256 * 1024

    /// The request: the token in the header and nowhere else (RFC 6750, section 2.1).
    package static func request(endpoint: WebURL, accessToken: Secret) -> HTTPRequest {
        HTTPRequest(
            url: endpoint,
            headers: ["Accept": "application/json", "Authorization": "Bearer \(accessToken.reveal())"]
        )
    }

    /// Reads the answer. Its `sub` must be the ID token's (section 5.3.2); without an ID token, its `sub` is the
    /// subject.
    package static func read(_ response: HTTPResponse, subject expected: String?) throws(OAuthError) -> UserInfo {
        switch response.status {
        case 200: break
        case 401: throw OAuthError(.tokenRejected, "the user-information endpoint refuses the access token")
        case 403: throw OAuthError(.unsupported, "the token's scope does not cover the user information")
        default: throw OAuthError(.unavailable, "the user-information endpoint answered HTTP \(response.status)")
        }
        guard response.mediaType != "application/jwt" else {
            throw OAuthError(.unsupported, "the user information is signed, which is not supported")
        }
        guard ProviderJSON.looksLikeObject(response.body) else {
            let type = JSONDocument.typeName(of: response)
            throw OAuthError(.unavailable, "the user-information endpoint sent \(type) instead of JSON")
        }
        let claims = try JSONDocument.read(response, named: "user information", limit: sizeLimit)
        guard let subject = claims["sub"]?.string, Subject.isValid(subject) else {
            throw OAuthError(.invalidDocument, "the user information names no valid sub")
        }
        if let expected, !subject.utf8.elementsEqual(expected.utf8) {
            throw OAuthError(.invalidDocument, "the user information is about another user than the ID token")
        }
        return UserInfo(claims, subject: subject)
    }

    private init(_ claims: JSONObject, subject: String) {
        self.subject = subject
        email = claims["email"]?.string?.shown()
        preferredUsername = claims["preferred_username"]?.string?.shown()
        name = claims["name"]?.string?.shown()
    }
}
