// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A rule that the client broke. A strict provider would answer with an error; this one also remembers.
package struct Breach: Sendable, CustomStringConvertible {
    package enum Rule: String, Sendable {
        case method, contentType, malformedForm, doubledParameter, emptyParameter, queryAtEndpoint
        case credentialsInURL, tokenInURL, bearerMissing
        case clientIDMissing, clientUnknown, clientAuthentication, severalClientAuthentications
        case responseType, redirectURI, state, nonce, challengeMissing, plainChallenge, valueReused
        case pushedRequest, endSession
        case grantType, codeMissing, codeUnknown, codeReused, verifier
        case refreshTokenMissing, refreshTokenUnknown, refreshTokenReused, scopeWidened, tokenMissing, registration
        case deviceCodeUnknown, pollTooSoon, resource
    }

    package let rule: Rule
    package let endpoint: ProviderEndpoint
    /// Which parameter or value; never a whole secret.
    package let detail: String

    package var description: String { "\(endpoint.rawValue): \(rule.rawValue) (\(detail))" }
}
