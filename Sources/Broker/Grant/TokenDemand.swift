// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import Secrets

/// What a client's `token.get` asks of one account.
package struct TokenDemand: Sendable {
    /// Seconds that the token must hold at least.
    package var minValid: Int64
    /// Whether the client named `min_valid` itself; if not, a token that still holds is good enough when the provider
    /// is away.
    package var isExplicit: Bool
    /// The token that an API refused with 401.
    package var rejected: Secret?
    /// The same without naming the token.
    package var fresh: Bool
    /// The token covers at least these.
    package var scope: Scope?
    /// What the token is for, where it is not the account's own.
    package var variant: TokenVariant?
    /// A user asks: the gap between forced refreshes is for clients.
    package var isPersonal = false

    /// What `account.refresh` asks for: a new token, now.
    package static var personal: TokenDemand {
        var demand = TokenDemand(fresh: true)
        demand.isPersonal = true
        return demand
    }

    /// Without a word from the client a token holds for ten seconds at least.
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

    /// Whether the held token will not do although it may hold.
    func forces(past held: HeldToken?) -> Bool {
        fresh || (rejected != nil && rejected == held?.accessToken)
    }
}
