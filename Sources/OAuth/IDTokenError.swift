// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Why an ID token is refused. No part of its answer may be served.
package struct IDTokenError: Error, Sendable, Hashable {
    /// The check that failed, as the socket names it.
    package enum Check: String, Sendable, Hashable {
        /// Not a signed token, or one that requires an unknown extension.
        case form
        case signature
        case algorithm
        case issuer
        case audience
        case authorizedParty = "azp"
        case expiry
        case issuedAt = "issued_at"
        case nonce
        case authenticationClass = "acr"
        case authenticationTime = "auth_time"
        case accessTokenHash = "at_hash"
        case subject

        /// Whether the check concerns the token's issuer, client or user. At a refresh only these matter: the access
        /// token came on the same connection, and the user has signed in before.
        package var guardsRefresh: Bool {
            switch self {
            case .issuer, .audience, .subject: true
            default: false
            }
        }
    }

    /// The check that failed.
    package let check: Check

    /// One sentence for a user, without any part of the token.
    package let message: String

    /// Whether the key set has no key for this token, so that fetching it again (at most once a minute) may help
    /// (OpenID Connect Core, section 10.1.1). Never for a bad signature under a known key.
    package let isKeyUnknown: Bool

    /// Whether the token is valid and about another user than the grant's: this quarantines a grant, a merely malformed
    /// token does not.
    package let isOtherSubject: Bool

    init(_ check: Check, _ message: String, isKeyUnknown: Bool = false, isOtherSubject: Bool = false) {
        self.check = check
        self.message = message
        self.isKeyUnknown = isKeyUnknown
        self.isOtherSubject = isOtherSubject
    }
}

extension IDTokenError: CustomStringConvertible {
    /// The sentence.
    package var description: String { message }
}
