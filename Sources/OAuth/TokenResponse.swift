// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// A token endpoint's good answer (RFC 6749, section 5.1).
package struct TokenResponse: Sendable {
    /// The access token: visible ASCII only, so that it fits a header.
    package let accessToken: Secret

    /// `Bearer`, however the provider spells it.
    package let tokenType: String

    /// How long the access token lives, from the time of sending on; each answer has its own, never the
    /// one before.
    package let lifetime: Lifetime

    /// The new refresh token; nil means that the old one stays (section 6).
    package let refreshToken: Secret?

    /// What was granted; nil means what was asked for (section 5.1).
    package let scope: Scope?

    /// The ID token, unverified.
    package let idToken: Secret?

    /// How long the grant lives if nothing renews it, in seconds; nil where that is unknown or without end
    /// (Keycloak's `refresh_expires_in: 0`).
    package let grantLifetime: Int64?

    /// Members that OAuth does not define (`instance_url`, …), without any token in them.
    package let extra: JSONObject

    /// What is odd about the answer, for a log; no secrets.
    package let notes: [String]
}

/// A whole answer of success that breaks the specification, or cannot be read: no token of it is served.
package struct InvalidTokenResponse: Error, Sendable {
    /// One sentence for a user, without secrets.
    package let reason: String

    /// The refresh token that came with it: the old one may be spent, so it is stored all the same.
    package let refreshToken: Secret?

    /// Whether it could not be read to the point of knowing that it has no other refresh token: then the one that was
    /// sent may be spent.
    package var isUnread = false
}
