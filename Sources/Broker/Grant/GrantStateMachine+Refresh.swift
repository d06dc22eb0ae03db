// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension GrantStateMachine {
    /// A refresh has ended.
    package mutating func refreshFinished(_ outcome: RefreshOutcome, at now: Moment, roll: Double) -> [Action] {
        guard case .live(var grant) = state else { return [] }
        let variant = grant.job.variant
        switch outcome {
        case .renewed(let record, let isStored):
            if grant.job.isForced { lastForced = now.boot }
            grant.renewed(record, isStored: isStored, at: now, jitter: roll)
            state = .live(grant)
            return [.settle(renewed: true)]
        case .derived(let derived, let record, let isStored):
            if grant.job.isForced { lastForced = now.boot }
            grant.derived(derived, record, isStored: isStored, at: now, jitter: roll)
            state = .live(grant)
            return [.settle(renewed: true, of: variant)]
        case .unstored(let record, let error, let failure, let derived):
            let yield = failure == nil ? derived.map(StoreDebt.Yield.derived) ?? .token : .nothing
            grant.unstored(StoreDebt(record, error, yield: yield, at: now), failure, at: now, roll: roll)
            state = .live(grant)
        case .refused(let record, let failure):
            grant.record = record
            grant.isTokenStored = true
            grant.failed(failure, at: now, roll: roll)
            state = .live(grant)
        case .storeBlocked(let error):
            grant.storeBlocked(error, at: now, roll: roll)
            state = .live(grant)
        case .failed(let failure, let pending):
            grant.record.pending = pending
            let wasRefused = grant.record.refusal != nil
            grant.failed(failure, at: now, roll: roll)
            state = .live(grant)
            if !wasRefused, grant.record.refusal != nil {
                return [.note(grant.record), .settle(renewed: false, of: variant)]
            }
        case .ended(let record, let error):
            // Nothing is served of another user's answer. After an ordinary end the last token is.
            end(record, error, held: record.ended?.reason == .subject ? nil : grant, at: now)
        case .vanished:
            state = .signedOut
        case .replaced(let record):
            // The caller of `replaced` decides whether it may be used; the old one is not.
            return replaced(by: record, isHeldBack: isHeldBack, at: now, roll: roll)
        }
        return [.settle(renewed: false, of: variant)]
    }

    private mutating func end(_ record: GrantRecord, _ error: StoreError?, held: LiveGrant?, at now: Moment) {
        let end = record.ended ?? .init(reason: .ended, at: now.wall)
        var ended = EndedGrant(end, held: held, isCleared: error == nil && !record.renewable, at: now)
        if let error { ended.debt = StoreDebt(record, error, at: now) }
        state = .ended(ended)
    }
}
