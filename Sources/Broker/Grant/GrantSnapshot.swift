// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// What others than the state machine may know of a grant, as it is at one moment.
struct GrantSnapshot {
    enum Phase {
        /// The store has not answered yet.
        case unknown
        /// The store is locked or away.
        case blocked(StoreError)
        case signedOut
        case ended(GrantRecord.Ended)
        case live
    }

    var phase: Phase
    /// The configuration does not allow the grant to go where it would now go.
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
    /// No refresh of the daemon's own before this.
    var notBefore: BootInstant?
    /// The store's error that prevented the last refresh.
    var storeError: StoreError?
    /// Why the store has not taken a record that is written again.
    var pendingWriteError: StoreError?

    /// Whether the access token is good for at least a second.
    func holdsToken(at now: Moment) -> Bool { token?.holds(0, at: now) ?? false }
}

extension GrantStateMachine {
    /// What others may know.
    var snapshot: GrantSnapshot {
        func plain(_ phase: GrantSnapshot.Phase) -> GrantSnapshot {
            GrantSnapshot(phase: phase, isHeldBack: isHeldBack, isPaused: isPaused)
        }
        switch state {
        case .unknown: return plain(.unknown)
        case .blocked(let error): return plain(.blocked(error))
        case .signedOut: return plain(.signedOut)
        case .ended(let ended):
            var snapshot = plain(.ended(ended.end))
            snapshot.token = ended.token()
            return snapshot
        case .live(let grant):
            var snapshot = plain(.live)
            snapshot.record = grant.record
            snapshot.token = grant.record.token
            snapshot.isRefreshing = grant.isRefreshing
            snapshot.failure = grant.retry.failure
            snapshot.failedAt = grant.retry.failedAt
            snapshot.notBefore = grant.retry.notBefore
            snapshot.storeError = grant.retry.storeError
            snapshot.pendingWriteError = grant.debt?.error
            return snapshot
        }
    }

    /// The token that is held of a live grant for a combination; nil: the account's own.
    func heldToken(of variant: TokenVariant?) -> HeldToken? {
        guard case .live(let grant) = state else { return nil }
        return grant.token(of: variant)
    }
}
