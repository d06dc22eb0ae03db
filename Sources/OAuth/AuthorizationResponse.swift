// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets

/// The parameters of a redirect from the provider (RFC 6749, section 4.1.2; RFC 9207).
package enum AuthorizationResponse {
    /// The values that identify the answer to this attempt.
    package struct Expected: Sendable {
        /// The `state` that was sent.
        package let state: Secret

        /// The issuer that was asked; nil for an account without one, whose `iss` is ignored.
        package let issuer: Issuer?

        /// Whether the provider says that it always sends `iss` (RFC 9207, section 2.4).
        package let requiresIssuer: Bool

        /// The values of the attempt.
        package init(state: String, issuer: Issuer?, requiresIssuer: Bool) {
            self.state = Secret(state)
            self.issuer = issuer
            self.requiresIssuer = requiresIssuer
        }
    }

    /// What to do with the answer.
    package enum Outcome: Sendable {
        /// Send this code, once. The other parameters that came are the login's metadata.
        case code(Secret, metadata: FormParameters)
        /// The user or the provider refused: the attempt ends.
        case refused(OAuthErrorBody)
        /// The answer is for this attempt and fails a check (`iss`): the attempt ends, no code is sent.
        case failed(check: String, message: String)
        /// Not this attempt's answer (`state`, `code`), or one that no provider sends (`doubled`): answer 4xx and keep
        /// waiting.
        case ignored(check: String)
    }

    /// The parameters that must not come twice (RFC 6749, section 3.1).
    private static let single = ["state", "code", "iss", "error"]

    /// Not kept as metadata: parameters that are read here, and tokens, which no code flow returns.
    private static let consumed: Set<String> = [
        "state", "code", "iss", "error", "error_description", "error_uri", "access_token", "id_token",
        "refresh_token",
    ]

    /// Judges the parameters of a redirect.
    package static func read(_ query: FormParameters, for expected: Expected) -> Outcome {
        guard single.allSatisfy({ query.values(of: $0).count <= 1 }) else { return .ignored(check: "doubled") }
        guard let state = query.secret("state"), state == expected.state else { return .ignored(check: "state") }
        let error = query["error"]?.nilIfEmpty
        let code = query.secret("code").flatMap { $0.isEmpty ? nil : $0 }
        guard error != nil || code != nil else { return .ignored(check: "code") }
        if let message = issuerFault(query["iss"], expected) {
            return .failed(check: "iss", message: message)
        }
        if let error {
            return .refused(
                OAuthErrorBody(error: error, description: query["error_description"], uri: query["error_uri"])
            )
        }
        guard let code else { return .ignored(check: "code") }
        return .code(code, metadata: metadata(of: query))
    }

    /// Compares `iss` with the issuer that was asked (RFC 9207, section 2.4), even if the provider does not promise to
    /// send it; it never becomes the issuer.
    private static func issuerFault(_ iss: String?, _ expected: Expected) -> String? {
        guard let issuer = expected.issuer else { return nil }
        guard let iss else {
            return expected.requiresIssuer
                ? "the answer lacks the issuer that the provider promises to send (iss)" : nil
        }
        return issuer.matches(iss) ? nil : "the answer comes from another issuer (iss)"
    }

    private static func metadata(of query: FormParameters) -> FormParameters {
        var metadata = FormParameters()
        for element in query where !consumed.contains(element.name) {
            metadata.append(element.name, element.secret)
        }
        return metadata
    }
}
