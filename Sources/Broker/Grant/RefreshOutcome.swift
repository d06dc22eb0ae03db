// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// How one refresh ended. Only `ended` and `vanished` are the grant's end; the rest passes.
package enum RefreshOutcome: Sendable {
    /// A new access token; a new refresh token is in the store. `isStored`: so is the access token.
    case renewed(GrantRecord, isStored: Bool)
    /// As above, with a token that is not the account's own; the record's is as it was.
    case derived(DerivedToken, GrantRecord, isStored: Bool)
    /// The provider answered with a new refresh token and the store did not take it: it is kept in memory, and not
    /// served, until the store does. With a failure where its answer was refused; with the token where it is not the
    /// account's own.
    case unstored(GrantRecord, StoreError, RefreshFailure?, DerivedToken? = nil)
    /// The answer breaks the rules: its refresh token is stored, its access token is not used.
    case refused(GrantRecord, RefreshFailure)
    /// The grant is over: the provider said so, or answered for another subject. The record says why; the error is the
    /// store's that did not take it.
    case ended(GrantRecord, StoreError?)
    /// The store holds another refresh token than the one that is held here: nothing was sent, or its refusal counts
    /// for nothing.
    case replaced(GrantRecord)
    /// The store is open and has no such item any more.
    case vanished
    /// The store did not answer, so nothing was sent.
    case storeBlocked(StoreError)
    /// Passing: the provider is away, throttles, or answers nonsense. With a mark where the refresh token may be spent.
    case failed(RefreshFailure, GrantRecord.Pending?)
}

/// A refresh that did not work and does not end the grant.
package struct RefreshFailure: Sendable, Equatable {
    /// What decides how long to wait.
    package enum Class: Sendable, Equatable {
        /// Network, timeout, 5xx: back off and try again.
        case passing
        /// The provider's certificate was not accepted: passing twice, then the user must fix it.
        case untrusted
        /// The provider named the time to wait, in seconds.
        case throttled(seconds: Int64)
        /// The provider refuses the request as such: only the user can fix that.
        case misconfigured
        /// An error that may be the grant's end, and is not known to be: passing a few times, then the user is wanted.
        case unknown
        /// The provider wants the user before it renews the grant.
        case refused
    }

    /// What the token endpoint itself said against the request, where that may mean the grant.
    package struct Refusal: Sendable, Equatable {
        package var code: String
        package var status: Int?
        /// Its words, fit to be shown.
        package var words: String

        /// Whether it is the same again; the words may name a time or a number of the request's.
        func isSame(as other: Refusal?) -> Bool {
            code == other?.code && status == other?.status
        }
    }

    package var kind: Class
    /// `provider_unreachable` or `provider_error`, with a sentence for a user.
    package var error: ProtocolError
    /// Whether it is about the one combination of scope, resource and audience that was asked for: others may come.
    package var concernsVariantAlone: Bool
    /// nil where it is no such answer.
    package var refusal: Refusal?

    package init(kind: Class, error: ProtocolError, concernsVariantAlone: Bool = false, refusal: Refusal? = nil) {
        self.kind = kind
        self.error = error
        self.concernsVariantAlone = concernsVariantAlone
        self.refusal = refusal
    }

    /// Whether the provider has looked at the request and said no.
    var isAnswer: Bool {
        switch kind {
        case .misconfigured, .unknown, .refused: true
        case .passing, .untrusted, .throttled: false
        }
    }

    package static func == (left: RefreshFailure, right: RefreshFailure) -> Bool {
        left.kind == right.kind && left.error.kind == right.error.kind && left.error.message == right.error.message
            && left.concernsVariantAlone == right.concernsVariantAlone
    }
}
