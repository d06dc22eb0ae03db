// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// A token endpoint's successful answer (RFC 6749, section 5.1).
package struct TokenResponse: Sendable {
    /// The access token: visible ASCII only, so that it fits a header.
    package let accessToken: Secret

    /// `Bearer`, in the provider's spelling.
    package let tokenType: String

    /// The access token's lifetime, from the time of sending; never taken from an earlier answer.
    package let lifetime: Lifetime

    /// The new refresh token; nil: the old one stays (section 6).
    package let refreshToken: Secret?

    /// The granted scope; nil: as requested (section 5.1).
    package let scope: Scope?

    /// The ID token, unverified.
    package let idToken: Secret?

    /// The grant's lifetime without renewal, in seconds; nil if unknown or unlimited (Keycloak's `refresh_expires_in:
    /// 0`).
    package let grantLifetime: Int64?

    /// Members that OAuth does not define (`instance_url`, …), without any token in them.
    package let extra: JSONObject

    /// Oddities of the answer, for a log; no secrets.
    package let notes: [String]
}

/// A successful answer that breaks the specification, or cannot be read: none of its tokens is served.
package struct InvalidTokenResponse: Error, Sendable {
    /// One sentence for a user, without secrets.
    package let reason: String

    /// Its refresh token: the old one may be spent, so it is stored all the same.
    package let refreshToken: Secret?

    /// Whether the answer is too damaged to tell whether it has another refresh token: then the sent one may be spent.
    package var isUnread = false
}
