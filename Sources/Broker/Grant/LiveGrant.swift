// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

/// A grant that is in force, and what is being done with it.
///
/// `record.token` may always be served: a refresh puts its token there once the store has the refresh token that came
/// with it. Until then both wait in `activity` as `owing`, so a logout must revoke `newest`, not `record`. The mark
/// `record.pending` says less than the store's: here it means that the refresh token may be spent.
///
/// Each outcome of a refresh moves `notBefore`; one that did not would be repeated at once, in a loop. `notBefore` binds
/// the daemon's own refreshes alone, `throttledUntil` those that clients ask for, too.
struct LiveGrant {
    enum Activity {
        case idle
        case refreshing(RefreshJob)
        /// The provider rotated and the store refused the new token.
        case owing(StoreDebt, RefreshJob)
    }

    /// What is durable, except for the mark of a refresh under way; only its token is ever served.
    var record: GrantRecord
    var activity: Activity = .idle
    /// The last refresh's failure, until one succeeds.
    var failure: RefreshFailure?
    /// Failures in a row.
    var attempts = 0
    /// Answers in a row that refuse in the same words, the time of the first, and what the last of them said.
    var refusals = 0
    var firstRefusal: BootInstant?
    var lastRefusal: RefreshFailure.Refusal?
    /// Whether a grant that the provider refuses is tried once more, a network having come.
    var hasSecondTry = false
    /// Connections in a row whose certificate was not accepted.
    var distrusts = 0
    /// No refresh of the daemon's own before this.
    var notBefore: BootInstant
    /// No refresh at all before this: the provider said so.
    var throttledUntil: BootInstant?
    var lastAttempt: BootInstant?
    /// When a new network last reset the back-off.
    var backoffReset: BootInstant?
    /// Unix seconds of the last failure.
    var failedAt: Int64?
    /// The store's error that prevented the last refresh.
    var storeError: StoreError?
    /// A client has asked since the last refresh.
    var wasAskedFor = false
    /// When the refresh token was last used, or the grant loaded.
    var lastUsed: BootInstant
    /// Seconds for which it had not been used by then.
    var idleThen: Int64 = 0
    /// The held token ends so soon that it is renewed once the daemon has started.
    var isDueAtStart = false
    /// When the token is due by the wall clock, after that stepped ahead.
    var dueByWall: BootInstant?
    /// Whether the store holds the access token, too.
    var isTokenStored = true
    /// Spreads the refreshes of many accounts (0 ..< 1).
    var jitter: Double
    /// The tokens that are not the account's own.
    var variants = VariantCache()

    /// A grant that has come just now, from a login or in place of another.
    init(record: GrantRecord, at now: Moment, jitter: Double) {
        self.record = record
        self.jitter = jitter
        notBefore = now.boot
        lastUsed = now.boot
    }

    /// A grant as the store has kept it while no daemon ran; `roll` spreads the work of many.
    init(stored record: GrantRecord, _ settings: RefreshSettings, at now: Moment, roll: Double) {
        self.init(record: record, at: now, jitter: roll)
        idleThen = max(0, now.wall.subtractingSaturated(record.refreshedAt ?? record.signedInAt))
        // A token that may be spent is tried inside the grace that some providers give.
        if record.pending == nil { notBefore = spread(at: now, by: roll) }
        if let life = record.token?.wholeLife, let remaining = record.token?.remaining(at: now) {
            isDueAtStart = life > settings.atStartWithin && remaining <= settings.atStartWithin
        }
    }

    var isRefreshing: Bool {
        if case .refreshing = activity { return true }
        return false
    }

    /// What is under way, or waits for the store.
    var job: RefreshJob {
        switch activity {
        case .refreshing(let job), .owing(_, let job): job
        case .idle: RefreshJob()
        }
    }

    /// The record that the store has not taken yet.
    var debt: StoreDebt? {
        get {
            guard case .owing(let debt, _) = activity else { return nil }
            return debt
        }
        set {
            activity = newValue.map { .owing($0, job) } ?? .idle
        }
    }

    /// Whether the account's own token is good for at least a second.
    func holdsToken(at now: Moment) -> Bool { record.token?.holds(0, at: now) ?? false }

    /// The newest refresh token that the provider issued, stored or not.
    var newest: GrantRecord { debt?.record ?? record }

    mutating func begin(_ job: RefreshJob) -> GrantStateMachine.Action {
        activity = .refreshing(job)
        return .refresh(record, for: job.variant)
    }

    mutating func renewed(_ new: GrantRecord, isStored: Bool, at now: Moment, jitter: Double) {
        let variants = variants
        self = LiveGrant(record: new, at: now, jitter: jitter)
        self.variants = variants
        isTokenStored = isStored
        lastAttempt = now.boot
        // However short a provider's tokens live, one refresh token is not used more than once in ten seconds.
        notBefore = now.boot.advanced(by: .seconds(10))
    }

    /// The provider rotated and the store refused; `failure` where the answer was refused, too.
    mutating func unstored(_ debt: StoreDebt, _ refusal: RefreshFailure?, at now: Moment, roll: Double) {
        let job = job
        failure = nil
        storeError = nil
        if let refusal { failed(refusal, at: now, roll: roll) }
        activity = .owing(debt, job)
    }

    /// The store has not taken the grant, which is new.
    mutating func owe(_ error: StoreError, at now: Moment) {
        let yield: StoreDebt.Yield = record.token == nil ? .nothing : .token
        activity = .owing(StoreDebt(record, error, yield: yield, at: now), RefreshJob())
        record.token = nil
        record.untraded = nil
    }

    /// The store has taken the record at last.
    ///
    /// - Returns: whether it brings a new token.
    mutating func paid(_ debt: StoreDebt, at now: Moment) -> Bool {
        switch debt.yield {
        case .token:
            renewed(debt.record, isStored: true, at: now, jitter: jitter)
        case .derived(let derived):
            self.derived(derived, debt.record, isStored: true, at: now, jitter: jitter)
        case .nothing:
            record = debt.record
            activity = .idle
            isTokenStored = true
            return false
        }
        return true
    }

    mutating func storeBlocked(_ error: StoreError, at now: Moment, roll: Double) {
        activity = .idle
        storeError = error
        attempts += 1
        failedAt = now.wall
        lastAttempt = now.boot
        notBefore = now.boot.advanced(by: .seconds(30 + Int64(roll * 30)))
    }

    /// The refresh that was under way has brought no token, and has not ended the grant.
    mutating func failed(_ new: RefreshFailure, at now: Moment, roll: Double) {
        if new.isOwn, let variant = job.variant { return refused(variant, new, at: now) }
        countRefusals(new, at: now)
        distrusts = new.kind == .untrusted ? distrusts + 1 : 0
        var new = new
        // A certificate that is never accepted must be fixed by the user.
        if distrusts >= 3 { new.kind = .misconfigured }
        activity = .idle
        failure = new
        attempts += 1
        failedAt = now.wall
        lastAttempt = now.boot
        storeError = nil
        let holds = holdsToken(at: now)
        var wait = Backoff.wait(attempt: attempts, holdsToken: holds, random: roll)
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
        guard new.isAnswer else { return }
        hasSecondTry = false
        guard let refusal = new.refusal, record.renewable,
            new.kind == .refused || (isRefusedAgainAndAgain(now) && !holds)
        else { return }
        let code = refusal.code.isEmpty ? nil : refusal.code
        record.ended = .init(reason: .refused, oauthError: code, message: refusal.words, at: now.wall)
    }

    /// A passing fault says nothing, so it does not begin the count anew.
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

    /// Whether the provider has refused in the same words three times, over a quarter of an hour or more.
    private func isRefusedAgainAndAgain(_ now: Moment) -> Bool {
        guard refusals >= 3, let firstRefusal else { return false }
        return firstRefusal.duration(to: now.boot) >= .seconds(900)
    }
}

extension LiveGrant {
    /// A moment of the next half minute, so that what became due at once is not done at once; before the held token has
    /// lived half of what is left of it, where that is sooner.
    func spread(at now: Moment, by roll: Double) -> BootInstant {
        let left = record.token?.remaining(at: now) ?? 0
        let span = left > 0 ? min(left, 60) * 500 : 30_000
        return now.boot.advanced(by: .milliseconds(Int64(roll * Double(span))))
    }
}
