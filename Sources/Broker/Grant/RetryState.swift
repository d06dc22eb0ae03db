// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd

/// The results of the last refresh attempts, and when the next one may be made.
///
/// Each attempt that ends moves `notBefore`; otherwise it would be repeated at once, in a loop. `notBefore` applies to
/// automatic refreshes alone, `throttledUntil` also to those that clients ask for.
struct RetryState {
    /// The last refresh's failure, until one succeeds.
    private(set) var failure: RefreshFailure?
    /// The store's error that prevented the last refresh.
    private(set) var storeError: StoreError?
    /// Unix seconds of the last failure.
    private(set) var failedAt: Int64?
    /// No automatic refresh before this.
    private(set) var notBefore: BootInstant
    /// No refresh at all before this: the provider asked to wait.
    private(set) var throttledUntil: BootInstant?
    private(set) var lastAttempt: BootInstant?
    /// Whether a refused grant is tried once more because a network came.
    private(set) var hasSecondTry = false
    /// Failures in a row.
    private var attempts = 0
    /// Consecutive answers that refuse with the same text, the time of the first, and the last one's text.
    private var refusals = 0
    private var firstRefusal: BootInstant?
    private var lastRefusal: RefreshFailure.Refusal?
    /// Consecutive connections with a certificate that was not accepted.
    private var tlsFailureCount = 0
    /// When a new network last reset the back-off.
    private var backoffReset: BootInstant?

    /// Nothing has been tried yet.
    init(at now: Moment) {
        notBefore = now.boot
    }

    /// A refresh has succeeded: however short the tokens live, the refresh token is used at most once in ten seconds.
    init(succeededAt now: Moment) {
        notBefore = now.boot.advanced(by: Self.leastGap)
        lastAttempt = now.boot
    }

    /// Between two uses of one refresh token.
    private static let leastGap: Duration = .seconds(10)

    /// The failure that concerns every variant: the provider is unavailable, or refuses the client.
    var sharedFailure: RefreshFailure? {
        failure.flatMap { $0.concernsVariantAlone ? nil : $0 }
    }

    // MARK: An attempt has ended

    /// The provider has answered: failures that concern all variants are over. A failure of the account's own token
    /// stays.
    mutating func answered(at now: Moment) {
        storeError = nil
        let earliest = now.boot.advanced(by: Self.leastGap)
        notBefore = sharedFailure == nil ? max(notBefore, earliest) : earliest
        if sharedFailure != nil { failure = nil }
        attempts = 0
        refusals = 0
        firstRefusal = nil
        tlsFailureCount = 0
        lastAttempt = now.boot
    }

    /// The provider has answered with a new refresh token that the store refused.
    mutating func succeededUnstored() {
        failure = nil
        storeError = nil
    }

    mutating func storeBlocked(_ error: StoreError, at now: Moment, random: Double) {
        storeError = error
        attempts += 1
        failedAt = now.wall
        lastAttempt = now.boot
        notBefore = now.boot.advanced(by: .seconds(30 + Int64(random * 30)))
    }

    /// A refresh has brought no token, and has not ended the grant.
    ///
    /// - Returns: the provider's message, if it refuses the grant so that only the user can help.
    mutating func failed(
        _ new: RefreshFailure,
        holdsToken: Bool,
        at now: Moment,
        random: Double
    ) -> RefreshFailure.Refusal? {
        countRefusals(new, at: now)
        tlsFailureCount = new.kind == .untrusted ? tlsFailureCount + 1 : 0
        var new = new
        // A certificate that is never accepted must be fixed by the user.
        if isNeverTrusted { new.kind = .misconfigured }
        failure = new
        attempts += 1
        failedAt = now.wall
        lastAttempt = now.boot
        storeError = nil
        var wait = Backoff.wait(attempt: attempts, holdsToken: holdsToken, random: random)
        switch new.kind {
        case .throttled(let seconds):
            wait = max(wait, .seconds(seconds))
            throttledUntil = now.boot.advanced(by: .seconds(seconds))
        case .misconfigured:
            throttledUntil = now.boot.advanced(by: .seconds(60))
        case .passing, .unknown, .untrusted, .refused:
            break
        }
        notBefore = now.boot.advanced(by: wait)
        guard new.isAnswer else { return nil }
        hasSecondTry = false
        let isFinal = new.kind == .refused || (isRefusedAgainAndAgain(now) && !holdsToken)
        return isFinal ? new.refusal : nil
    }

    /// A passing failure carries no answer, so it does not reset the count.
    private mutating func countRefusals(_ new: RefreshFailure, at now: Moment) {
        guard new.isAnswer else { return }
        if new.refusal == nil || new.refusal?.isSame(as: lastRefusal) != true {
            refusals = 0
            firstRefusal = nil
        }
        lastRefusal = new.refusal
        guard new.refusal != nil else { return }
        refusals += 1
        firstRefusal = firstRefusal ?? now.boot
    }

    /// Whether the provider has refused with the same text three times, over a quarter of an hour or more.
    private func isRefusedAgainAndAgain(_ now: Moment) -> Bool {
        guard refusals >= 3, let firstRefusal else { return false }
        return firstRefusal.duration(to: now.boot) >= .seconds(900)
    }

    private var isNeverTrusted: Bool { tlsFailureCount >= 3 }

    // MARK: Something has changed

    /// The settings changed: what a provider refused before is tried again.
    mutating func reconfigured(isRefused: Bool) {
        if failure?.kind == .misconfigured { failure = nil }
        if isRefused { hasSecondTry = true }
    }

    /// The store can be read again.
    mutating func storeOpened(at now: Moment) {
        guard storeError != nil else { return }
        storeError = nil
        notBefore = now.boot
    }

    /// No automatic refresh before that.
    mutating func postpone(to instant: BootInstant) {
        notBefore = instant
    }

    /// The wall clock stepped, or the machine was asleep: an unavailable provider may be back.
    ///
    /// - Parameter spread: when due work is tried.
    mutating func timeJumped(spread: BootInstant, at now: Moment) {
        if isNeverTrusted { failure?.kind = .untrusted }
        guard failure != nil || storeError != nil else { return }
        attempts = 0
        notBefore = max(min(notBefore, spread), throttledUntil ?? now.boot)
    }

    /// The greatest delay after a network has come, for accounts without a valid token, and for the others.
    private static let (soon, later): (Duration, Duration) = (.seconds(5), .seconds(30))

    /// A network has come, and the provider refuses the grant. A policy may require another network: each new one gets
    /// one try, at least a minute after the last.
    mutating func takeSecondTry(at now: Moment, random: Double) {
        let instant = earliest(after: Self.soon * random, gap: .seconds(60), at: now)
        // Another network before that try does not delay it.
        notBefore = hasSecondTry ? min(notBefore, instant) : instant
        hasSecondTry = true
    }

    /// A network has come: retries a refresh that failed for a passing reason.
    mutating func networkAppeared(holdsToken: Bool, at now: Moment, random: Double) {
        // The untrusted certificate may have been a captive portal's on the previous network.
        if isNeverTrusted { failure?.kind = .untrusted }
        guard failure?.kind == .passing || failure?.kind == .untrusted else { return }
        if failure?.kind == .untrusted { throttledUntil = nil }
        if backoffReset.map({ $0.duration(to: now.boot) >= .seconds(60) }) ?? true {
            attempts = 0
            backoffReset = now.boot
        }
        let instant = earliest(after: (holdsToken ? Self.later : Self.soon) * random, gap: Self.leastGap, at: now)
        // An overdue refresh is due now; a sleep did not postpone it.
        notBefore = notBefore < now.boot ? instant : min(notBefore, instant)
    }

    private func earliest(after spread: Duration, gap: Duration, at now: Moment) -> BootInstant {
        [now.boot.advanced(by: spread), lastAttempt?.advanced(by: gap), throttledUntil].compactMap(\.self)
            .reduce(now.boot, max)
    }
}
