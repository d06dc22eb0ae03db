// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import Secrets

/// The requirements of a client's `token.get` for one account.
package struct TokenDemand: Sendable {
    /// The least validity in seconds.
    package var minValid: Int64
    /// Whether the client set `min_valid`; if not, a token that is still valid is good enough while the provider is
    /// unavailable.
    package var isExplicit: Bool
    /// The token that an API refused with 401.
    package var rejected: Secret?
    /// The same without naming the token.
    package var fresh: Bool
    /// The least scope of the token.
    package var scope: Scope?
    /// The variant, if it is not the account's own token.
    package var variant: TokenVariant?
    /// A user asks: the gap between forced refreshes does not apply.
    package var isPersonal = false

    /// For `account.refresh`: a new token, now.
    package static var personal: TokenDemand {
        var demand = TokenDemand(fresh: true)
        demand.isPersonal = true
        return demand
    }

    /// If the client does not set it: ten seconds.
    package static let defaultMinValid: Int64 = 10

    package init(
        minValid: Int64? = nil,
        rejected: Secret? = nil,
        fresh: Bool = false,
        scope: Scope? = nil,
        variant: TokenVariant? = nil
    ) {
        self.minValid = minValid ?? Self.defaultMinValid
        isExplicit = minValid != nil
        self.rejected = rejected
        self.fresh = fresh
        self.scope = scope
        self.variant = variant
    }

    /// Whether a new token is required although the held one may be valid.
    func forces(past held: HeldToken?) -> Bool {
        fresh || (rejected != nil && rejected == held?.accessToken)
    }
}
