// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

/// A grant that lives, and what is being done with it.
struct LiveGrant {
    enum Activity {
        case idle
        case refreshing(forced: Bool)
        /// The provider rotated and the store refused the new token.
        case unstored(GrantRecord, StoreError, retryAt: BootInstant, attempts: Int)
        /// The same, being written again.
        case storing(GrantRecord, StoreError, attempts: Int)
    }

    /// What is durable; only its token is ever served.
    var record: GrantRecord
    var activity: Activity = .idle
    /// The last refresh's failure, until one succeeds.
    var failure: RefreshFailure?
    /// Failures in a row.
    var attempts = 0
    /// Answers with an unknown error in a row, and the time of the first.
    var unknowns = 0
    var firstUnknown: BootInstant?
    /// No refresh of the daemon's own before this.
    var notBefore: BootInstant
    /// No refresh at all before this: the provider said so.
    var throttledUntil: BootInstant?
    var lastAttempt: BootInstant?
    /// Unix seconds of the last failure.
    var failedAt: Int64?
    /// The store that kept the last refresh from being sent.
    var storeError: StoreError?
    /// A client has asked since the last refresh.
    var wasAskedFor = false
    /// When the refresh token was last used, or the grant loaded.
    var lastUsed: BootInstant
    /// Whether the store holds the access token, too.
    var isTokenStored = true
    /// Spreads the refreshes of many accounts (0 ..< 1).
    var jitter: Double

    init(record: GrantRecord, at now: Moment, jitter: Double) {
        self.record = record
        self.jitter = jitter
        notBefore = now.boot
        lastUsed = now.boot
    }

    var isRefreshing: Bool {
        if case .refreshing = activity { return true }
        return false
    }

    var isForced: Bool {
        if case .refreshing(forced: true) = activity { return true }
        return false
    }

    mutating func beginRefresh(forced: Bool) -> GrantStateMachine.Action {
        activity = .refreshing(forced: forced)
        return .refresh(record)
    }

    mutating func renewed(_ new: GrantRecord, at now: Moment, jitter: Double) {
        record = new
        self.jitter = jitter
        activity = .idle
        failure = nil
        attempts = 0
        unknowns = 0
        firstUnknown = nil
        throttledUntil = nil
        storeError = nil
        failedAt = nil
        wasAskedFor = false
        lastAttempt = now.boot
        lastUsed = now.boot
        // Whatever a provider's tokens live, one refresh token is not used more than once in ten seconds.
        notBefore = now.boot.advanced(by: .seconds(10))
    }

    mutating func storeBlocked(_ error: StoreError, at now: Moment, roll: Double) {
        activity = .idle
        storeError = error
        attempts += 1
        failedAt = now.wall
        lastAttempt = now.boot
        notBefore = now.boot.advanced(by: .seconds(30 + Int64(roll * 30)))
    }

    /// - Returns: whether the grant must be taken for ended: an unknown error three times within 15 minutes or more.
    mutating func failed(_ new: RefreshFailure, at now: Moment, roll: Double) -> Bool {
        activity = .idle
        failure = new
        attempts += 1
        failedAt = now.wall
        lastAttempt = now.boot
        storeError = nil
        let holds = record.token?.holds(0, at: now) ?? false
        switch new.kind {
        case .passing, .unknown:
            notBefore = now.boot.advanced(by: Backoff.wait(attempt: attempts, holdsToken: holds, random: roll))
        case .throttled(let seconds):
            let wait = Backoff.wait(
                attempt: attempts,
                holdsToken: holds,
                random: roll,
                retryAfter: .seconds(seconds)
            )
            throttledUntil = now.boot.advanced(by: .seconds(seconds))
            notBefore = now.boot.advanced(by: wait)
        case .misconfigured:
            throttledUntil = now.boot.advanced(by: .seconds(60))
        }
        guard new.kind == .unknown else {
            unknowns = 0
            firstUnknown = nil
            return false
        }
        unknowns += 1
        let first = firstUnknown ?? now.boot
        firstUnknown = first
        return unknowns >= 3 && first.duration(to: now.boot) >= .seconds(900)
    }

    /// When something is due by itself.
    func deadline(_ settings: RefreshSettings) -> BootInstant? {
        switch activity {
        case .refreshing, .storing: return nil
        case .unstored(_, _, let retryAt, _): return retryAt
        case .idle: break
        }
        guard record.refreshToken != nil, failure?.kind != .misconfigured else { return nil }
        if record.pending != nil { return notBefore }
        let policy = RefreshPolicy(margin: settings.margin, keepAlive: settings.keepAlive)
        let dues = [dueByToken(settings, policy), dueByIdleness(policy)].compactMap(\.self)
        return dues.min().map { max($0, notBefore) }
    }

    private func dueByToken(_ settings: RefreshSettings, _ policy: RefreshPolicy) -> BootInstant? {
        switch settings.policy {
        case .onDemand: return nil
        case .active where !wasAskedFor: return nil
        case .active, .always: break
        }
        guard let token = record.token else { return notBefore }
        guard let delay = policy.refreshDelay(lifetime: token.lifetime, jitter: jitter) else { return nil }
        return token.obtainedAtBoot.advanced(by: .seconds(max(0, delay - Double(token.ageThen))))
    }

    private func dueByIdleness(_ policy: RefreshPolicy) -> BootInstant? {
        let life = record.grantExpiresAt.map { $0.subtractingSaturated(record.refreshedAt ?? record.signedInAt) }
        return policy.keepAliveDelay(grantLifetime: life).map { lastUsed.advanced(by: .seconds($0)) }
    }

    /// The earliest moment at which a client's need may lead to a refresh; nil: at once.
    func blockedUntil(at now: Moment) -> BootInstant? {
        guard failure != nil else { return nil }
        let gap = lastAttempt?.advanced(by: .seconds(5))
        let latest = [gap, throttledUntil].compactMap(\.self).max()
        guard let latest, latest > now.boot else { return nil }
        return latest
    }
}
