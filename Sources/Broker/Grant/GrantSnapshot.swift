// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// The state of a grant at one moment, for others than the state machine.
struct GrantSnapshot {
    enum Phase {
        /// The store has not answered yet.
        case unknown
        /// The store is locked or unavailable.
        case blocked(StoreError)
        case signedOut
        case ended(GrantRecord.Ended)
        case live
    }

    var phase: Phase
    /// The current configuration would send the grant to another destination.
    var isHeldBack: Bool
    /// No background work until a user says so.
    var isPaused: Bool
    /// The record in force; nil without a live grant.
    var record: GrantRecord?
    /// The account's own access token, also after the grant's end.
    var token: HeldToken?
    var isRefreshing = false
    /// The last refresh's failure, until one succeeds.
    var failure: RefreshFailure?
    /// Unix seconds of the last failure.
    var failedAt: Int64?
    /// The store's error that prevented the last refresh.
    var storeError: StoreError?
    /// Why the store refused a record that will be written again.
    var pendingWriteError: StoreError?

    /// Whether the access token is good for at least a second.
    func holdsToken(at now: Moment) -> Bool { token?.holds(0, at: now) ?? false }

    mutating func take(_ ended: EndedGrant) {
        phase = .ended(ended.end)
        token = ended.token()
        pendingWriteError = ended.pendingWrite?.error
    }

    mutating func take(_ grant: LiveGrant) {
        phase = .live
        record = grant.record
        token = grant.record.token
        isRefreshing = grant.isRefreshing
        failure = grant.retry.failure
        failedAt = grant.retry.failedAt
        storeError = grant.retry.storeError
        pendingWriteError = grant.pendingWrite?.error
    }
}
