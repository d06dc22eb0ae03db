// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import Secrets

/// The client authentication at the provider's endpoints: exactly one method, fixed by the account, never tried out
/// (RFC 6749, section 2.3).
package enum ClientAuthentication: Sendable, Hashable {
    /// A public client: `client_id` in the body (section 3.2.1).
    case none
    /// HTTP Basic; the identifier is not in the body.
    case clientSecretBasic(Secret)
    /// The same without form-encoding, for providers that do not decode it (RFC 7617 alone).
    case clientSecretBasicUnencoded(Secret)
    /// Identifier and secret in the body.
    case clientSecretPost(Secret)
    /// A signed assertion, made for this one request (RFC 7523, section 2.2; see `ClientAssertion`).
    case privateKeyJWT(assertion: Secret)

    /// The parameters of client authentication; no account's own parameter may have one of these names.
    static let parameterNames: Set<String> = [
        "client_id", "client_secret", "client_assertion", "client_assertion_type",
    ]

    /// Secrets that no text about an answer may repeat.
    package func secrets(clientID: String) -> [Secret] {
        switch self {
        case .none: []
        case .clientSecretBasic(let secret):
            [secret, Secret(String(basicCredentials(clientID: clientID, clientSecret: secret).dropFirst(6)))]
        case .clientSecretBasicUnencoded(let secret):
            [secret, Secret(String(unencoded(clientID, secret).dropFirst(6)))]
        case .clientSecretPost(let secret): [secret]
        case .privateKeyJWT(let assertion): [assertion]
        }
    }

    /// Adds the client authentication to a request's headers or body.
    func apply(clientID: String, headers: inout HTTPHeaders, form: inout FormParameters) {
        switch self {
        case .none:
            form.append("client_id", clientID)
        case .clientSecretBasic(let secret):
            headers["Authorization"] = basicCredentials(clientID: clientID, clientSecret: secret)
        case .clientSecretBasicUnencoded(let secret):
            headers["Authorization"] = unencoded(clientID, secret)
        case .clientSecretPost(let secret):
            form.append("client_id", clientID)
            form.append("client_secret", secret)
        case .privateKeyJWT(let assertion):
            form.append("client_id", clientID)
            form.append("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            form.append("client_assertion", assertion)
        }
    }

    private func unencoded(_ clientID: String, _ secret: Secret) -> String {
        basicCredentials(clientID: clientID, clientSecret: secret, isEncoded: false)
    }
}
