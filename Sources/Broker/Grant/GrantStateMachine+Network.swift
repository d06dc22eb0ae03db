// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd

extension GrantStateMachine {
    /// A network has come: a refresh that had failed in passing is tried again, at once if there is no valid token.
    ///
    /// A network that comes and goes makes no loop: the next try is ten seconds after the last one at the earliest, and the
    /// back-off is reset once a minute at most. The provider's `Retry-After` is kept.
    package mutating func networkAppeared(at now: Moment, roll: Double) {
        guard case .live(var grant) = state, !grant.isRefreshing else { return }
        if grant.record.refusal != nil {
            grant.takeSecondTry(at: now, roll: roll)
            state = .live(grant)
            return
        }
        // The network that has come may be the one behind the portal whose certificate was not accepted.
        if grant.distrusts >= 3 { grant.failure?.kind = .untrusted }
        guard grant.failure?.kind == .passing || grant.failure?.kind == .untrusted else { return }
        if grant.failure?.kind == .untrusted { grant.throttledUntil = nil }
        grant.networkAppeared(at: now, roll: roll)
        state = .live(grant)
    }
}

extension LiveGrant {
    /// The spread of accounts without a valid token, and of the others.
    private static let (soon, later): (Duration, Duration) = (.seconds(5), .seconds(30))

    /// A policy may want another network than the one before: what the provider refuses is tried once in each that comes,
    /// a minute after the last try at the soonest.
    fileprivate mutating func takeSecondTry(at now: Moment, roll: Double) {
        var instant = now.boot.advanced(by: Self.soon * roll)
        if let lastAttempt { instant = max(instant, lastAttempt.advanced(by: .seconds(60))) }
        if let throttledUntil { instant = max(instant, throttledUntil) }
        // One that comes before the try does not put it off.
        notBefore = hasSecondTry ? min(notBefore, instant) : instant
        hasSecondTry = true
    }

    fileprivate mutating func networkAppeared(at now: Moment, roll: Double) {
        if backoffReset.map({ $0.duration(to: now.boot) >= .seconds(60) }) ?? true {
            attempts = 0
            backoffReset = now.boot
        }
        let spread = (holdsToken(at: now) ? Self.later : Self.soon) * roll
        var instant = now.boot.advanced(by: spread)
        if let lastAttempt { instant = max(instant, lastAttempt.advanced(by: .seconds(10))) }
        if let throttledUntil { instant = max(instant, throttledUntil) }
        // An overdue refresh is due now; a sleep did not postpone it.
        notBefore = notBefore < now.boot ? instant : min(notBefore, instant)
    }
}
