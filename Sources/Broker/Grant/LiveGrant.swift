// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

/// A grant in force, and the work on it.
///
/// `record.token` may always be served: a refresh puts its token there once the store has the refresh token that came
/// with it. Until then both wait in `activity` as `awaitingStore`, so a logout must revoke `newest`, not `record`. The
/// mark `record.pending` says less than the store's: here it means that the refresh token may be spent.
struct LiveGrant {
    enum Activity {
        case idle
        case refreshing(RefreshJob)
        /// The provider rotated and the store refused the new token.
        case awaitingStore(PendingWrite, RefreshJob)
    }

    /// What is stored, except for the mark of a refresh under way; only its token is ever served.
    var record: GrantRecord
    var activity: Activity = .idle
    /// The results of the last refreshes, and when the next one may be tried.
    var retry: RetryState
    /// A client has asked since the last refresh.
    var wasAskedFor = false
    /// When the refresh token was last used, or the grant loaded.
    var lastUsed: BootInstant
    /// Seconds without use before that.
    var idleThen: Int64 = 0
    /// The held token ends so soon that it is renewed once the daemon has started.
    var isDueAtStart = false
    /// When the token is due according to the wall clock, after that stepped forward.
    var dueByWall: BootInstant?
    /// Whether the store holds the access token, too.
    var isTokenStored = true
    /// Spreads the refreshes of many accounts (0 ..< 1).
    var jitter: Double
    /// The tokens of variants.
    var variants = VariantCache()

    /// A new grant, from a login or in place of another.
    init(record: GrantRecord, at now: Moment, jitter: Double) {
        self.record = record
        self.jitter = jitter
        retry = RetryState(at: now)
        lastUsed = now.boot
    }

    /// A grant as the store kept it while no daemon ran; `random` spreads the refreshes of several accounts.
    init(stored record: GrantRecord, _ settings: RefreshSettings, at now: Moment, random: Double) {
        self.init(record: record, at: now, jitter: random)
        idleThen = max(0, now.wall.subtractingSaturated(record.refreshedAt ?? record.signedInAt))
        // A token that may be spent is tried within the grace period of some providers.
        if record.pending == nil { retry.postpone(to: spread(at: now, by: random)) }
        if let life = record.token?.wholeLife, let remaining = record.token?.remaining(at: now) {
            isDueAtStart = life > settings.atStartWithin && remaining <= settings.atStartWithin
        }
    }

    var isRefreshing: Bool {
        if case .refreshing = activity { return true }
        return false
    }

    /// The job under way, or waiting for the store.
    var job: RefreshJob {
        switch activity {
        case .refreshing(let job), .awaitingStore(_, let job): job
        case .idle: RefreshJob()
        }
    }

    /// The record that the store has not taken yet.
    var pendingWrite: PendingWrite? {
        get {
            guard case .awaitingStore(let pendingWrite, _) = activity else { return nil }
            return pendingWrite
        }
        set {
            activity = newValue.map { .awaitingStore($0, job) } ?? .idle
        }
    }

    /// Whether the account's own token is good for at least a second.
    func holdsToken(at now: Moment) -> Bool { record.token?.holds(0, at: now) ?? false }

    /// The newest refresh token that the provider issued, stored or not.
    var newest: GrantRecord { pendingWrite?.record ?? record }

    /// The record with a token that the store does not have yet. While a refresh is under way, the store's mark must
    /// stay.
    var recordToKeep: GrantRecord? {
        isRefreshing || isTokenStored || record.token == nil ? nil : record
    }

    mutating func begin(_ job: RefreshJob) -> GrantStateMachine.Action {
        activity = .refreshing(job)
        return .refresh(record, for: job.variant)
    }

    mutating func renewed(_ new: GrantRecord, isStored: Bool, at now: Moment, jitter: Double) {
        let variants = variants
        self = LiveGrant(record: new, at: now, jitter: jitter)
        self.variants = variants
        isTokenStored = isStored
        retry = RetryState(succeededAt: now)
    }

    /// The provider rotated and the store refused; `failure` if the answer was refused, too.
    mutating func unstored(_ pendingWrite: PendingWrite, _ refusal: RefreshFailure?, at now: Moment, random: Double) {
        let job = job
        retry.succeededUnstored()
        if let refusal { failed(refusal, at: now, random: random) }
        activity = .awaitingStore(pendingWrite, job)
    }

    /// The store has not taken this new grant.
    mutating func awaitStore(_ error: StoreError, at now: Moment) {
        let release: PendingWrite.Release = record.token == nil ? .nothing : .token
        activity = .awaitingStore(PendingWrite(record, error, release: release, at: now), RefreshJob())
        record.token = nil
        record.untraded = nil
    }

    /// The store accepted the record, or refused it again.
    ///
    /// - Returns: whether it brings a new token; nil if it was refused.
    mutating func written(_ pendingWrite: PendingWrite, _ result: Result<Void, StoreError>, at now: Moment) -> Bool? {
        if case .failure(let error) = result {
            self.pendingWrite?.refused(error, at: now)
            return nil
        }
        switch pendingWrite.release {
        case .token:
            renewed(pendingWrite.record, isStored: true, at: now, jitter: jitter)
        case .derived(let derived):
            self.derived(derived, pendingWrite.record, isStored: true, at: now, jitter: jitter)
        case .nothing:
            record = pendingWrite.record
            activity = .idle
            isTokenStored = true
            return false
        }
        return true
    }

    /// The store can be tried again.
    mutating func storeOpened(at now: Moment) -> [GrantStateMachine.Action] {
        if pendingWrite != nil { return pendingWrite?.retry() ?? [] }
        retry.storeOpened(at: now)
        return []
    }

    mutating func storeBlocked(_ error: StoreError, at now: Moment, random: Double) {
        activity = .idle
        retry.storeBlocked(error, at: now, random: random)
    }

    /// The refresh under way has brought no token, and has not ended the grant.
    mutating func failed(_ new: RefreshFailure, at now: Moment, random: Double) {
        if new.concernsVariantAlone, let variant = job.variant { return refused(variant, new, at: now) }
        activity = .idle
        let refusal = retry.failed(new, holdsToken: holdsToken(at: now), at: now, random: random)
        guard let refusal, record.renewable else { return }
        let code = refusal.code.isEmpty ? nil : refusal.code
        record.ended = .init(reason: .refused, oauthError: code, message: refusal.words, at: now.wall)
    }

    /// A network has come: retries a refresh that failed for a passing reason, at once if there is no valid token.
    ///
    /// A flapping network causes no loop: the next try is at least ten seconds after the last one, and the back-off is
    /// reset at most once a minute. The provider's `Retry-After` is respected.
    mutating func networkAppeared(at now: Moment, random: Double) {
        guard !isRefreshing else { return }
        if record.refusal != nil {
            retry.takeSecondTry(at: now, random: random)
        } else {
            retry.networkAppeared(holdsToken: holdsToken(at: now), at: now, random: random)
        }
    }

    /// The configuration changed: what a provider refused before is tried again.
    mutating func reconfigured() {
        retry.reconfigured(isRefused: record.refusal != nil)
        variants.forgetFailures()
    }
}

extension LiveGrant {
    /// A random time within the next half minute, so that not everything due is done at once; earlier if the held token
    /// would lose half of its remaining life before.
    func spread(at now: Moment, by random: Double) -> BootInstant {
        let left = record.token?.remaining(at: now) ?? 0
        let span = left > 0 ? min(left, 60) * 500 : 30_000
        return now.boot.advanced(by: .milliseconds(Int64(random * Double(span))))
    }
}
