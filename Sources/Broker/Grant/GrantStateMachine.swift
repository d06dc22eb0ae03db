// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
package import Systemd
package import TokendProtocol

/// The state of an account's grant, and what to do about it.
///
/// There is one method for each event, and each returns the actions that the shell must perform. The machine reads no
/// clock: `now` is a parameter, and `roll` (0 ..< 1) is the entropy for jitter. After every event the shell sets one
/// timer for `deadline`; without that, nothing is renewed by itself.
///
/// It guarantees that at most one refresh and one read of the store are under way, and that each ends with a `settle`,
/// so that no client waits for ever. A token is served once the store has the refresh token that came with it. A live
/// grant ends by the provider's answer, by a logout, or where an open store has no item; never because a store is
/// locked. Two mistakes of the shell would break this: an outcome that does not reach `refreshFinished` (the grant stays
/// *refreshing*), and an outcome of an older generation that does (see `Account`).
package struct GrantStateMachine {
    enum State {
        /// The store has not answered yet.
        case unknown
        /// The store is locked or away, which says nothing about the grant.
        case blocked(StoreError)
        case signedOut
        case ended(EndedGrant)
        case live(LiveGrant)
    }

    /// What the shell must do.
    package enum Action: Sendable, Equatable {
        /// Read the item from the store.
        case load
        /// Send this record's refresh token, for a token of that combination.
        case refresh(GrantRecord, for: TokenVariant? = nil)
        /// Write this record again, which the store refused before.
        case write(GrantRecord)
        /// Write this record, which tells a restart that the provider refuses it.
        case note(GrantRecord)
        /// Remove what is left of a grant that ended long ago.
        case clear
        /// What was waited for has ended: everyone who waits gets an answer by `settled`.
        case settle(renewed: Bool, of: TokenVariant? = nil)
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
    /// The account's file is gone or has a fault.
    package var isDisabled = false
    /// No background work until a user says so.
    package var isPaused = false
    /// The last forced refresh of the grant that succeeded, for whatever combination: one refresh token brings them all.
    var lastForced: BootInstant?
    /// What is left for combinations of which no token is held.
    var fetches = FetchBudget()

    package init(account: String, settings: RefreshSettings) {
        self.account = account
        self.settings = settings
    }

    /// The record in force, for status and for comparing destinations; nil without a live grant.
    package var record: GrantRecord? {
        guard case .live(let grant) = state else { return nil }
        return grant.record
    }

    /// Whether something is under way that must not be cut off: a refresh, or a record that the store has not taken.
    package var isBusy: Bool {
        switch state {
        case .live(let grant): grant.isRefreshing || grant.debt != nil
        case .unknown, .blocked, .signedOut, .ended: false
        }
    }

    /// Whether the store has refused a record whose refresh token is nowhere else.
    var isOwing: Bool {
        switch state {
        case .live(let grant): grant.debt != nil
        case .ended(let ended): ended.debt != nil
        case .unknown, .blocked, .signedOut: false
        }
    }

    /// The record with the newest refresh token, stored or not: what a logout revokes.
    package var newestRecord: GrantRecord? {
        guard case .live(let grant) = state else { return nil }
        return grant.newest
    }

    /// A record that the store must still take before the daemon ends; nil if nothing would be lost.
    package var unstoredRecord: GrantRecord? {
        switch state {
        case .live(let grant):
            // While a refresh is under way, the store's mark must stay.
            if grant.isRefreshing { return nil }
            return grant.debt?.record ?? (grant.isTokenStored || grant.record.token == nil ? nil : grant.record)
        case .ended(let ended): return ended.debt?.record
        case .unknown, .blocked, .signedOut: return nil
        }
    }

    // MARK: The store's answers

    /// Starts a read of the store, unless one is under way.
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
        if let end = record.ended, record.isOver {
            state = .ended(EndedGrant(end, held: nil, isCleared: !record.renewable, at: now))
        } else {
            state = .live(LiveGrant(stored: record, settings, at: now, roll: roll))
        }
        return [.settle(renewed: false)]
    }

    /// The store holds another grant than the one that was refreshed: it is the one in force.
    package mutating func replaced(by record: GrantRecord, isHeldBack: Bool, at now: Moment, roll: Double) -> [Action] {
        self.isHeldBack = isHeldBack
        if let end = record.ended, record.isOver {
            state = .ended(EndedGrant(end, held: nil, isCleared: !record.renewable, at: now))
        } else {
            state = .live(LiveGrant(record: record, at: now, jitter: roll))
        }
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

    // MARK: The user's decision

    /// - Parameter error: why the store has not taken the record yet: until it has, nothing of it is served.
    package mutating func signedIn(
        _ record: GrantRecord,
        unstored error: StoreError? = nil,
        at now: Moment,
        roll: Double
    ) -> [Action] {
        isHeldBack = false
        lastForced = nil
        var grant = LiveGrant(record: record, at: now, jitter: roll)
        if let error { grant.owe(error, at: now) }
        state = .live(grant)
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
        grant.reconfigured()
        state = .live(grant)
    }

    // MARK: Time

    /// When the shell is to call `deadlineReached`; nil: nothing is due by itself.
    package var deadline: BootInstant? {
        switch state {
        case .live(let grant): grant.deadline(settings, isHalted: isHeldBack || isPaused || isDisabled)
        case .ended(let ended): ended.deadline
        case .unknown, .blocked, .signedOut: nil
        }
    }

    /// When the account's own token is renewed next by itself, unless a write is pending.
    package var nextRefresh: BootInstant? {
        guard case .live(let grant) = state, grant.debt == nil, deadline != nil else { return nil }
        return grant.refreshDue(settings)
    }

    /// The time that `deadline` named has come.
    package mutating func deadlineReached(at now: Moment, roll: Double) -> [Action] {
        guard let deadline, deadline <= now.boot else { return [] }
        switch state {
        case .live(var grant):
            defer { state = .live(grant) }
            if grant.debt != nil { return grant.debt?.retry() ?? [] }
            guard deadline.duration(to: now.boot) <= Self.sleep else {
                grant.retry.postpone(to: grant.spread(at: now, by: roll))
                return []
            }
            return [grant.begin(grant.dueJob(settings))]
        case .ended(var ended):
            defer { state = .ended(ended) }
            return ended.deadlineReached()
        case .unknown, .blocked, .signedOut:
            return []
        }
    }

    /// A day has gone by without anything being due.
    package mutating func lookAgain(at now: Moment) {
        guard case .live(var grant) = state else { return }
        grant.lookAgain(settings, at: now)
        state = .live(grant)
    }

    /// A timer that is later than this was delayed by suspend: all accounts are due, and no network is up yet.
    private static let sleep: Duration = .seconds(60)

    /// The wall clock stepped, or the machine was asleep.
    package mutating func timeJumped(at now: Moment, roll: Double) {
        guard case .live(var grant) = state else { return }
        grant.timeJumped(settings, at: now, roll: roll)
        state = .live(grant)
    }

    /// A network has come: what had failed in passing is tried again.
    package mutating func networkAppeared(at now: Moment, roll: Double) {
        guard case .live(var grant) = state else { return }
        grant.networkAppeared(at: now, roll: roll)
        state = .live(grant)
    }

    /// The store took, or refused again, what it had refused before.
    package mutating func written(_ result: Result<Void, StoreError>, at now: Moment) -> [Action] {
        switch (state, result) {
        case (.live(var grant), .success):
            guard let debt = grant.debt else { return [] }
            let job = grant.job
            let isRenewed = grant.paid(debt, at: now)
            if isRenewed, job.isForced { lastForced = now.boot }
            state = .live(grant)
            return [.settle(renewed: isRenewed, of: job.variant)]
        case (.live(var grant), .failure(let error)):
            guard grant.debt != nil else { return [] }
            grant.debt?.refused(error, at: now)
            state = .live(grant)
        case (.ended(var ended), .success):
            guard let debt = ended.debt else { return [] }
            ended.paid(debt, at: now)
            state = .ended(ended)
        case (.ended(var ended), .failure(let error)):
            guard ended.debt != nil else { return [] }
            ended.debt?.refused(error, at: now)
            state = .ended(ended)
        case (.unknown, _), (.blocked, _), (.signedOut, _):
            return []
        }
        return [.settle(renewed: false)]
    }

    /// The store can be tried again: it was unlocked, or came back.
    package mutating func storeOpened(at now: Moment) -> [Action] {
        switch state {
        case .unknown, .blocked:
            return beginLoad()
        case .live(var grant):
            defer { state = .live(grant) }
            if grant.debt != nil { return grant.debt?.retry() ?? [] }
            grant.retry.storeOpened(at: now)
            return []
        case .ended(var ended):
            defer { state = .ended(ended) }
            return ended.debt?.retry() ?? []
        case .signedOut:
            return []
        }
    }
}
