// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets
import StrictJSON

/// The result of a registration (RFC 7591, section 3.2).
package enum RegistrationAnswer: Sendable {
    /// The client as the provider registered it, possibly different from the request (section 3.2.1).
    package struct Client: Sendable {
        package let id: String
        package let secret: Secret?
        /// Unix seconds; nil where the secret never ends.
        package let secretExpiresAt: Int64?
        /// Its `token_endpoint_auth_method`; nil if the answer has none.
        package let authentication: String?
        /// nil if the answer has none.
        package let redirectURIs: [String]?
        /// nil if the answer has none.
        package let grantTypes: [String]?
        package let accessToken: Secret?
        package let configurationURI: String?
    }

    case registered(Client)
    /// The provider refuses; `isUnauthorized`: because the initial access token is missing or wrong.
    case refused(OAuthErrorBody, isUnauthorized: Bool)
    /// A passing failure: try again later.
    case unavailable(reason: String)
    /// The answer breaks the specification.
    case invalid(reason: String)

    /// The longest client ID in bytes, which must fit into a URL; some are signed statements.
    private static let longestID = 4096

    /// Reads the answer; 200 counts as 201, since some providers send it. `sent` are the secrets of the request.
    package static func read(_ response: HTTPResponse, sent: [Secret] = []) -> RegistrationAnswer {
        let content = AnswerBody(response)
        let object = content.object
        guard (200..<300).contains(response.status) else {
            if response.status >= 500 || [408, 425, 429].contains(response.status) {
                return .unavailable(reason: "the registration endpoint answered HTTP \(response.status)")
            }
            let body = object.flatMap { OAuthErrorBody(answer: $0, status: response.status, sent: sent) }
            return .refused(
                body ?? OAuthErrorBody(error: "", status: response.status),
                isUnauthorized: [401, 403].contains(response.status)
            )
        }
        guard let object else {
            return .invalid(reason: "the registration endpoint sent \(content.what)")
        }
        guard let id = object["client_id"]?.string, !id.isEmpty else {
            return .invalid(reason: "the registration names no client_id")
        }
        guard id.utf8.count <= longestID, id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return .invalid(reason: "its client_id is longer than \(longestID) bytes, or no plain text")
        }
        let word = object["client_secret"]?.string ?? ""
        guard object["client_secret"]?.intactText == word || word.isEmpty else {
            return .invalid(reason: "its client_secret has bytes in it that are no text")
        }
        let secret = word.isEmpty ? nil : Secret(word)
        let end = object["client_secret_expires_at"]?.int64
        return .registered(
            Client(
                id: id,
                secret: secret,
                secretExpiresAt: secret == nil || end == 0 ? nil : end,
                authentication: object["token_endpoint_auth_method"]?.string,
                redirectURIs: object["redirect_uris"]?.array?.compactMap(\.string),
                grantTypes: object["grant_types"]?.array?.compactMap(\.string),
                accessToken: object["registration_access_token"]?.intactText.map { Secret($0) },
                configurationURI: object["registration_client_uri"]?.string
            )
        )
    }
}
