// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd

/// The state of an account's grant, and the decisions about it.
///
/// There is one method for each event, and each returns the actions that the caller must perform. The machine reads no
/// clock: `now` is a parameter, and `random` (0 ..< 1) is the entropy for jitter. After every event the caller sets one
/// timer for `deadline`; without it, nothing is renewed automatically.
///
/// It guarantees that at most one refresh and one read of the store are under way, and that each ends with a
/// `resumeWaiters`, so that no client waits for ever. A token is served once the store has the refresh token that came
/// with it. A live grant ends by the provider's answer, by a logout, or if an open store has no item; never because a
/// store is locked. Two mistakes of the caller would break this: an outcome that does not reach `refreshFinished` (the
/// grant stays *refreshing*), and an outcome of an older generation that does (see `Account`).
package struct GrantStateMachine {
    private enum State {
        /// The store has not answered yet.
        case unknown
        /// The store is locked or unavailable, which says nothing about the grant.
        case blocked(StoreError)
        case signedOut
        case ended(EndedGrant)
        case live(LiveGrant)
    }

    let account: String
    package var settings: RefreshSettings
    private var state: State = .unknown
    private(set) var isLoading = false
    /// The current configuration would send the grant to another destination.
    private(set) var isHeldBack = false
    /// The account's file is gone or has a fault.
    package var isDisabled = false
    /// No background work until a user says so.
    package var isPaused = false
    /// The last successful forced refresh of the grant, for any variant: they share the refresh token.
    var lastForced: BootInstant?
    /// The budget for variants without a held token.
    var fetches = FetchBudget()

    package init(account: String, settings: RefreshSettings) {
        self.account = account
        self.settings = settings
    }

    var snapshot: GrantSnapshot {
        var snapshot = GrantSnapshot(phase: .unknown, isHeldBack: isHeldBack, isPaused: isPaused)
        switch state {
        case .unknown: break
        case .blocked(let error): snapshot.phase = .blocked(error)
        case .signedOut: snapshot.phase = .signedOut
        case .ended(let ended): snapshot.take(ended)
        case .live(let grant): snapshot.take(grant)
        }
        return snapshot
    }

    private var live: LiveGrant? {
        guard case .live(let grant) = state else { return nil }
        return grant
    }

    /// The record in force, for status and for comparing destinations; nil without a live grant.
    package var record: GrantRecord? { live?.record }

    /// The held token of a live grant for a variant; nil: the account's own.
    func heldToken(of variant: TokenVariant?) -> HeldToken? { live?.token(of: variant) }

    /// Whether work is under way that must not be interrupted: a refresh, or a record that the store has not taken.
    package var isBusy: Bool { live.map { $0.isRefreshing || $0.pendingWrite != nil } ?? false }

    private var pendingWrite: PendingWrite? {
        if case .ended(let ended) = state { return ended.pendingWrite }
        return live?.pendingWrite
    }

    /// The record with the newest refresh token, stored or not: what a logout revokes.
    package var newestRecord: GrantRecord? { live?.newest }

    /// A record that must still be stored before the daemon ends; nil if nothing would be lost.
    package var unstoredRecord: GrantRecord? { pendingWrite?.record ?? live?.recordToKeep }

    // MARK: The store's answers

    /// Starts a read of the store, unless one is under way.
    package mutating func beginLoad() -> [Action] {
        guard !isLoading else { return [] }
        isLoading = true
        return [.load]
    }

    /// The store has answered; nil: it is open and has no item.
    package mutating func loaded(_ record: GrantRecord?, isHeldBack: Bool, at now: Moment, random: Double) -> [Action] {
        isLoading = false
        self.isHeldBack = isHeldBack
        guard let record else {
            state = .signedOut
            return [.resumeWaiters(renewed: false)]
        }
        adopt(record, at: now) { LiveGrant(stored: record, $0, at: now, random: random) }
        return [.resumeWaiters(renewed: false)]
    }

    /// The store holds another grant than the refreshed one; it comes into force.
    package mutating func replaced(by record: GrantRecord, isHeldBack: Bool, at now: Moment, random: Double) -> [Action]
    {
        self.isHeldBack = isHeldBack
        adopt(record, at: now) { _ in LiveGrant(record: record, at: now, jitter: random) }
        return [.resumeWaiters(renewed: false)]
    }

    private mutating func adopt(_ record: GrantRecord, at now: Moment, live: (RefreshSettings) -> LiveGrant) {
        if let end = record.ended, record.isOver {
            state = .ended(EndedGrant(end, held: nil, isCleared: !record.renewable, at: now))
        } else {
            state = .live(live(settings))
        }
    }

    /// The store is locked or unavailable. Tokens in memory stay valid: a locked store is not a sign-out.
    package mutating func loadFailed(_ error: StoreError) -> [Action] {
        isLoading = false
        switch state {
        case .live, .ended: break
        case .unknown, .blocked, .signedOut: state = .blocked(error)
        }
        return [.resumeWaiters(renewed: false)]
    }

    // MARK: The user's decisions

    /// A read that is under way is ignored from here on, as after a logout.
    ///
    /// - Parameter error: why the store has not taken the record yet; until it has, its token is not served.
    package mutating func signedIn(
        _ record: GrantRecord,
        unstored error: StoreError? = nil,
        at now: Moment,
        random: Double
    ) -> [Action] {
        (isLoading, isHeldBack, lastForced) = (false, false, nil)
        var grant = LiveGrant(record: record, at: now, jitter: random)
        if let error { grant.awaitStore(error, at: now) }
        state = .live(grant)
        return [.resumeWaiters(renewed: false)]
    }

    package mutating func loggedOut() -> [Action] {
        (isLoading, lastForced, state) = (false, nil, .signedOut)
        return [.resumeWaiters(renewed: false)]
    }

    /// The configuration changed, and with it perhaps where the grant may be sent. What a provider refused before is
    /// tried again.
    package mutating func reconfigured(settings: RefreshSettings, isHeldBack: Bool) {
        self.settings = settings
        self.isHeldBack = isHeldBack
        changeLive { $0.reconfigured() }
    }

    // MARK: Time

    /// When the caller must call `deadlineReached`; nil: nothing is due.
    package var deadline: BootInstant? {
        switch state {
        case .live(let grant): grant.deadline(settings, isHalted: isHeldBack || isPaused || isDisabled)
        case .ended(let ended): ended.deadline
        case .unknown, .blocked, .signedOut: nil
        }
    }

    /// When the account's own token is next renewed automatically, unless a write is pending.
    package var nextRefresh: BootInstant? {
        guard case .live(let grant) = state, grant.pendingWrite == nil, deadline != nil else { return nil }
        return grant.refreshDue(settings)
    }

    /// `deadline` has been reached.
    package mutating func deadlineReached(at now: Moment, random: Double) -> [Action] {
        guard let deadline, deadline <= now.boot else { return [] }
        switch state {
        case .live(var grant):
            defer { state = .live(grant) }
            return grant.deadlineReached(deadline, settings, at: now, random: random)
        case .ended(var ended):
            defer { state = .ended(ended) }
            return ended.deadlineReached()
        case .unknown, .blocked, .signedOut:
            return []
        }
    }

    /// A day has passed without anything due.
    package mutating func lookAgain(at now: Moment) {
        changeLive { [settings] in $0.lookAgain(settings, at: now) }
    }

    /// The wall clock stepped, or the machine was asleep.
    package mutating func timeJumped(at now: Moment, random: Double) {
        changeLive { [settings] in $0.timeJumped(settings, at: now, random: random) }
    }

    /// A network has come: retries what failed for a passing reason.
    package mutating func networkAppeared(at now: Moment, random: Double) {
        changeLive { $0.networkAppeared(at: now, random: random) }
    }

    private mutating func changeLive(_ body: (inout LiveGrant) -> Void) {
        guard case .live(var grant) = state else { return }
        body(&grant)
        state = .live(grant)
    }

    /// The store accepted, or refused again, a record that it had refused before.
    package mutating func written(_ result: Result<Void, StoreError>, at now: Moment) -> [Action] {
        guard let written = pendingWrite else { return [] }
        switch state {
        case .live(var grant):
            defer { state = .live(grant) }
            let job = grant.job
            guard let isRenewed = grant.written(written, result, at: now) else { break }
            if isRenewed, job.isForced { lastForced = now.boot }
            return [.resumeWaiters(renewed: isRenewed, of: job.variant)]
        case .ended(var ended):
            ended.written(written, result, at: now)
            state = .ended(ended)
        case .unknown, .blocked, .signedOut: break
        }
        return [.resumeWaiters(renewed: false)]
    }

    /// The store was unlocked, or came back: it can be tried again.
    package mutating func storeOpened(at now: Moment) -> [Action] {
        switch state {
        case .unknown, .blocked:
            return beginLoad()
        case .live(var grant):
            defer { state = .live(grant) }
            return grant.storeOpened(at: now)
        case .ended(var ended):
            defer { state = .ended(ended) }
            return ended.pendingWrite?.retry() ?? []
        case .signedOut:
            return []
        }
    }

    // MARK: Clients, and the end of a refresh

    /// A client asks for a token. If the held one is good enough, the answer is available at once.
    package mutating func demand(_ demand: TokenDemand, at now: Moment) -> (answer: Answer, actions: [Action]) {
        switch state {
        case .unknown, .blocked:
            return (.wait, beginLoad())
        case .signedOut:
            return (.fail(loginRequired(.signedOut)), [])
        case .ended(let ended):
            return (afterEnd(ended.end, held: ended.token(of: demand.variant), demand, at: now), [])
        case .live(var grant):
            defer { state = .live(grant) }
            return serve(&grant, demand, at: now)
        }
    }

    /// Answers a client that waited: the refresh of that variant, or the read of the store, has ended; `renewed`: with
    /// a new token. A client that waits for another variant asks again.
    package mutating func resume(
        _ demand: TokenDemand,
        renewed: Bool,
        of variant: TokenVariant? = nil,
        at now: Moment
    ) -> (answer: Answer, actions: [Action]) {
        switch state {
        case .unknown: return (.wait, [])
        case .blocked(let error): return (.fail(error.protocolError), [])
        case .signedOut, .ended: return self.demand(demand, at: now)
        case .live(let grant):
            let answer = answer(from: grant, renewed: renewed, of: variant, demand, at: now)
            if let answer { return (answer, []) }
            return self.demand(demand, at: now)
        }
    }

    /// A refresh has ended.
    package mutating func refreshFinished(_ outcome: RefreshOutcome, at now: Moment, random: Double) -> [Action] {
        guard case .live(var grant) = state else { return [] }
        let (remainder, actions) = finish(&grant, outcome, at: now, random: random)
        switch remainder {
        case .live: state = .live(grant)
        case .ended(let ended): state = .ended(ended)
        case .nothing: state = .signedOut
        // The caller of `replaced` decides whether it may be used; the old one may not.
        case .other(let record): return replaced(by: record, isHeldBack: isHeldBack, at: now, random: random)
        }
        return actions
    }
}
