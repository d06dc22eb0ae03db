// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// How one refresh ended. Only `ended` and `vanished` end the grant.
package enum RefreshOutcome: Sendable {
    /// A new access token; a new refresh token is in the store. `isStored`: so is the access token.
    case renewed(GrantRecord, isStored: Bool)
    /// The same for a variant's token; the record's token is unchanged.
    case derived(DerivedToken, GrantRecord, isStored: Bool)
    /// The provider answered with a new refresh token and the store refused it: it is kept in memory, and not served,
    /// until the store accepts it. With a failure if the answer was refused; with the token if it is a variant's.
    case unstored(GrantRecord, StoreError, RefreshFailure?, DerivedToken? = nil)
    /// The answer breaks the rules: its refresh token is stored, its access token is not used.
    case refused(GrantRecord, RefreshFailure)
    /// The grant is over: the provider said so, or answered for another subject. The record says why; the error is the
    /// store's, if it refused the record.
    case ended(GrantRecord, StoreError?)
    /// The store holds another refresh token than the daemon: nothing was sent, or its refusal is ignored.
    case replaced(GrantRecord)
    /// The store is open and has no such item any more.
    case vanished
    /// The store did not answer, so nothing was sent.
    case storeBlocked(StoreError)
    /// A passing failure: the provider is unavailable, throttles, or answers nonsense. With a mark if the refresh token
    /// may be spent.
    case failed(RefreshFailure, GrantRecord.Pending?)
}

/// A refresh that failed and does not end the grant.
package struct RefreshFailure: Sendable, Equatable {
    /// Decides how long to wait.
    package enum Class: Sendable, Equatable {
        /// Network, timeout, 5xx: back off and try again.
        case passing
        /// The provider's certificate was not accepted: passing twice, then the user must act.
        case untrusted
        /// The provider named the time to wait, in seconds.
        case throttled(seconds: Int64)
        /// The provider refuses the request as such: only the user can change that.
        case misconfigured
        /// An error that may or may not be the grant's end: passing a few times, then the user must act.
        case unknown
        /// The provider requires user interaction before it renews the grant.
        case refused
    }

    /// The token endpoint's own objection to the request, if it may concern the grant.
    package struct Refusal: Sendable, Equatable {
        package var code: String
        package var status: Int?
        /// Its text, cleaned for display.
        package var words: String

        /// Whether it is the same refusal; the text may contain a time or a request number.
        func isSame(as other: Refusal?) -> Bool {
            code == other?.code && status == other?.status
        }
    }

    package var kind: Class
    /// `provider_unreachable` or `provider_error`, with a sentence for a user.
    package var error: ProtocolError
    /// Whether it concerns only the requested variant; others may be granted.
    package var concernsVariantAlone: Bool
    /// nil if it is no such answer.
    package var refusal: Refusal?

    package init(kind: Class, error: ProtocolError, concernsVariantAlone: Bool = false, refusal: Refusal? = nil) {
        self.kind = kind
        self.error = error
        self.concernsVariantAlone = concernsVariantAlone
        self.refusal = refusal
    }

    /// Whether the provider has looked at the request and refused.
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
