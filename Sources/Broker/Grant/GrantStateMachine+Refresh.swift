// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

extension GrantStateMachine {
    /// What remains of a grant after a refresh.
    enum Remainder {
        case live
        case ended(EndedGrant)
        case nothing
        /// Another grant that the store holds.
        case other(GrantRecord)
    }

    /// Applies the outcome of a refresh to the grant.
    mutating func finish(
        _ grant: inout LiveGrant,
        _ outcome: RefreshOutcome,
        at now: Moment,
        random: Double
    ) -> (remainder: Remainder, actions: [Action]) {
        let variant = grant.job.variant
        let ended = [Action.resumeWaiters(renewed: false, of: variant)]
        switch outcome {
        case .renewed(let record, let isStored):
            if grant.job.isForced { lastForced = now.boot }
            grant.renewed(record, isStored: isStored, at: now, jitter: random)
            return (.live, [.resumeWaiters(renewed: true)])
        case .derived(let derived, let record, let isStored):
            if grant.job.isForced { lastForced = now.boot }
            grant.derived(derived, record, isStored: isStored, at: now, jitter: random)
            return (.live, [.resumeWaiters(renewed: true, of: variant)])
        case .unstored(let record, let error, let failure, let derived):
            let release = failure == nil ? derived.map(PendingWrite.Release.derived) ?? .token : .nothing
            grant.unstored(PendingWrite(record, error, release: release, at: now), failure, at: now, random: random)
            return (.live, ended)
        case .refused(let record, let failure):
            grant.record = record
            grant.isTokenStored = true
            grant.failed(failure, at: now, random: random)
            return (.live, ended)
        case .storeBlocked(let error):
            grant.storeBlocked(error, at: now, random: random)
            return (.live, ended)
        case .failed(let failure, let pending):
            grant.record.pending = pending
            let wasRefused = grant.record.refusal != nil
            grant.failed(failure, at: now, random: random)
            return (.live, wasRefused || grant.record.refusal == nil ? ended : [.note(grant.record)] + ended)
        case .ended(let record, let error):
            // A token that belongs to another user is not served. After an ordinary end the last token is.
            let held = record.ended?.reason == .subject ? nil : grant
            return (.ended(EndedGrant(record, unstored: error, held: held, at: now)), ended)
        case .vanished:
            return (.nothing, ended)
        case .replaced(let record):
            return (.other(record), [])
        }
    }
}

extension EndedGrant {
    /// - Parameter error: why the store has not taken the record.
    fileprivate init(_ record: GrantRecord, unstored error: StoreError?, held: LiveGrant?, at now: Moment) {
        let end = record.ended ?? .init(reason: .ended, at: now.wall)
        self.init(end, held: held, isCleared: error == nil && !record.renewable, at: now)
        if let error { pendingWrite = PendingWrite(record, error, at: now) }
    }
}
