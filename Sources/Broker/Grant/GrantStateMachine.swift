// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
package import Systemd
package import TokendProtocol

/// What an account's grant is worth at this moment, and what to do about it.
///
/// One event, one method; each returns what the shell is to perform. It never reads a clock: `now` is a parameter, and
/// `roll` (0 ..< 1) is the entropy for spreading. After every event the shell arms one timer at `deadline`.
package struct GrantStateMachine {
    enum State {
        /// The store has not answered yet.
        case unknown
        /// The store is locked or away, which says nothing about the grant.
        case blocked(StoreError)
        case signedOut
        case ended(GrantRecord.Ended, held: HeldToken?)
        case live(LiveGrant)
    }

    /// What the shell performs.
    package enum Action: Sendable, Equatable {
        /// Read the item from the store.
        case load
        /// Send this record's refresh token.
        case refresh(GrantRecord)
        /// Write this record again, which the store refused before.
        case write(GrantRecord)
        /// What was waited for has ended: everyone who waits gets an answer by `settled`.
        case settle(renewed: Bool)
    }

    /// What a client gets.
    package enum Answer: Sendable {
        case serve(HeldToken, refreshed: Bool)
        case wait
        case fail(ProtocolError)
    }

    let account: String
    package var settings: RefreshSettings
    var state: State = .unknown
    var isLoading = false
    /// The configuration does not allow the grant to go where it would now go.
    var isHeldBack = false
    /// No background work until a person says so.
    package var isPaused = false
    /// The last forced refresh that succeeded.
    var lastForced: BootInstant?

    package init(account: String, settings: RefreshSettings) {
        self.account = account
        self.settings = settings
    }

    /// The record in force, for status and for comparing destinations; nil without a live grant.
    package var record: GrantRecord? {
        guard case .live(let grant) = state else { return nil }
        return grant.record
    }

    /// Whether a refresh token is on its way to the provider.
    package var isRefreshing: Bool {
        guard case .live(let grant) = state else { return false }
        return grant.isRefreshing
    }

    /// Whether the store does not hold the access token that is served.
    package var isTokenUnstored: Bool {
        guard case .live(let grant) = state else { return false }
        return !grant.isTokenStored
    }

    // MARK: The store's word

    /// Whoever needs the store's word asks with this; one read at a time.
    package mutating func beginLoad() -> [Action] {
        guard !isLoading else { return [] }
        isLoading = true
        return [.load]
    }

    /// The store has answered; nil: it is open and has no item.
    package mutating func loaded(_ record: GrantRecord?, isHeldBack: Bool, at now: Moment, roll: Double) -> [Action] {
        isLoading = false
        self.isHeldBack = isHeldBack
        guard let record else {
            state = .signedOut
            return [.settle(renewed: false)]
        }
        if let end = record.ended {
            state = .ended(end, held: nil)
            return [.settle(renewed: false)]
        }
        var grant = LiveGrant(record: record, at: now, jitter: roll)
        let spread = record.pending == nil ? Duration.milliseconds(Int64(roll * 30_000)) : .zero
        grant.notBefore = now.boot.advanced(by: spread)
        state = .live(grant)
        return [.settle(renewed: false)]
    }

    /// The store is locked or away.
    package mutating func loadFailed(_ error: StoreError) -> [Action] {
        isLoading = false
        // What is held in memory stays good: a locked store is not a sign-out.
        if case .live = state { return [.settle(renewed: false)] }
        if case .ended = state { return [.settle(renewed: false)] }
        state = .blocked(error)
        return [.settle(renewed: false)]
    }

    // MARK: A person's word

    package mutating func signedIn(_ record: GrantRecord, at now: Moment, roll: Double) -> [Action] {
        isHeldBack = false
        lastForced = nil
        state = .live(LiveGrant(record: record, at: now, jitter: roll))
        return [.settle(renewed: false)]
    }

    package mutating func loggedOut() -> [Action] {
        lastForced = nil
        state = .signedOut
        return [.settle(renewed: false)]
    }

    /// The configuration changed: whether it still lets the grant go where it was made for. What a provider refused
    /// before is tried again.
    package mutating func reconfigured(settings: RefreshSettings, isHeldBack: Bool) {
        self.settings = settings
        self.isHeldBack = isHeldBack
        guard case .live(var grant) = state else { return }
        if grant.failure?.kind == .misconfigured { grant.failure = nil }
        state = .live(grant)
    }

    // MARK: Time

    /// When the shell is to call `deadlineReached`; nil: nothing is due by itself.
    package var deadline: BootInstant? {
        guard case .live(let grant) = state, !isHeldBack, !isPaused else { return nil }
        return grant.deadline(settings)
    }

    /// The time that `deadline` named has come.
    package mutating func deadlineReached(at now: Moment) -> [Action] {
        guard case .live(var grant) = state, let deadline, deadline <= now.boot else { return [] }
        defer { state = .live(grant) }
        if case .unstored(let record, let error, _, let attempts) = grant.activity {
            grant.activity = .storing(record, error, attempts: attempts)
            return [.write(record)]
        }
        return [grant.beginRefresh(forced: false)]
    }

    // MARK: The provider's word

    /// A refresh has ended.
    package mutating func refreshFinished(_ outcome: RefreshOutcome, at now: Moment, roll: Double) -> [Action] {
        guard case .live(var grant) = state else { return [] }
        let wasForced = grant.isForced
        switch outcome {
        case .renewed(let record, let isStored):
            grant.renewed(record, at: now, jitter: roll)
            grant.isTokenStored = isStored
            if wasForced { lastForced = now.boot }
            state = .live(grant)
            return [.settle(renewed: true)]
        case .refused(let record, let failure):
            grant.record = record
            _ = grant.failed(failure, at: now, roll: roll)
            state = .live(grant)
        case .unstored(let record, let error):
            grant.activity = .unstored(record, error, retryAt: now.boot.advanced(by: .seconds(2)), attempts: 1)
            state = .live(grant)
        case .quarantined(let record):
            state = .ended(record.ended ?? .init(reason: .subject, at: now.wall), held: nil)
        case .ended(let end):
            state = .ended(end, held: grant.record.token)
        case .vanished:
            state = .signedOut
        case .storeBlocked(let error):
            grant.storeBlocked(error, at: now, roll: roll)
            state = .live(grant)
        case .failed(let failure):
            if grant.failed(failure, at: now, roll: roll) {
                let error = failure.error.data["oauth_error"]?.string
                state = .ended(.init(reason: .ended, oauthError: error, at: now.wall), held: grant.record.token)
            } else {
                state = .live(grant)
            }
        }
        return [.settle(renewed: false)]
    }

    /// The store took, or refused again, what it had refused before.
    package mutating func written(_ result: Result<Void, StoreError>, at now: Moment) -> [Action] {
        guard case .live(var grant) = state, case .storing(let record, _, let attempts) = grant.activity else {
            return []
        }
        defer { state = .live(grant) }
        switch result {
        case .success:
            grant.renewed(record, at: now, jitter: grant.jitter)
            return [.settle(renewed: true)]
        case .failure(let error):
            let wait = Duration.seconds(min(60, Int64(2) << min(attempts, 5)))
            grant.activity = .unstored(
                record,
                error,
                retryAt: now.boot.advanced(by: wait),
                attempts: attempts + 1
            )
        }
        return [.settle(renewed: false)]
    }

    /// The store can be tried again: it was unlocked, or came back.
    package mutating func storeOpened(at now: Moment) -> [Action] {
        switch state {
        case .unknown, .blocked:
            return beginLoad()
        case .live(var grant):
            if case .unstored(let record, let error, _, let attempts) = grant.activity {
                grant.activity = .storing(record, error, attempts: attempts)
                state = .live(grant)
                return [.write(record)]
            }
            if grant.storeError != nil {
                grant.storeError = nil
                grant.notBefore = now.boot
                state = .live(grant)
            }
            return []
        case .signedOut, .ended:
            return []
        }
    }
}
