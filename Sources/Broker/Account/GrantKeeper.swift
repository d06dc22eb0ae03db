// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

/// The grant of one account: its state machine, its timer, and the order of the tasks that work for it.
///
/// Each event of the machine is a method here, which sets the timer and returns the actions for `Account`. Tasks take a
/// `GrantWork` before they begin, and change the item and the state through that alone.
@LoopActor final class GrantKeeper {
    private let context: AccountContext
    /// Called with the due actions when the timer fires.
    var onDeadline: (@LoopActor ([GrantStateMachine.Action]) -> Void)?
    private var machine: GrantStateMachine {
        didSet { readyToken = nil }
    }
    /// The answer to plain requests without asking the machine; any change of state or settings drops it.
    private(set) var readyToken: ReadyToken?
    /// Rises with each login, logout, import and change of flow.
    private(set) var generation = 0
    /// What becomes of the results of earlier generations.
    private(set) var lateDisposition = GrantWork.Disposition.dropped
    /// Serialises what must not overlap.
    let locks = GrantLocks()
    private var timer: (any ScheduledTimer)?
    private var armedFor: BootInstant?
    /// No background work except the store's: the daemon is ending.
    private var isStopped = false
    /// Whether a dropped ID token of a renewal was already reported.
    private var hasDroppedIDToken = false

    init(_ context: AccountContext) {
        self.context = context
        machine = GrantStateMachine(account: context.name, settings: RefreshSettings())
        machine.isPaused = context.ports.state.notes.paused.contains(context.name)
    }

    private var now: Moment { context.ports.clock.now }
    private func random() -> Double { context.ports.entropy.random() }

    // MARK: Read by others

    var snapshot: GrantSnapshot { machine.snapshot }
    /// The record in force; nil without a live grant.
    var record: GrantRecord? { machine.record }
    /// The record with the newest refresh token, stored or not: what a logout revokes.
    var newestRecord: GrantRecord? { machine.newestRecord }
    /// A record that must still be stored before the daemon ends; nil if nothing would be lost.
    var unstoredRecord: GrantRecord? { machine.unstoredRecord }
    /// Whether the store has refused a record whose refresh token is nowhere else.
    var hasPendingWrite: Bool { machine.snapshot.pendingWriteError != nil }
    /// Whether work is under way that must not be interrupted.
    var isBusy: Bool { machine.isBusy }
    /// Whether the store is being read.
    var isLoading: Bool { machine.isLoading }
    /// When the next refresh is due by itself.
    var nextRefresh: BootInstant? { machine.nextRefresh }
    /// When what has failed is tried again by itself, a renewal or a write; nil where that is left to who asks next.
    var nextTry: BootInstant? {
        machine.snapshot.pendingWriteError == nil ? machine.nextRefresh : machine.deadline
    }
    /// The reason why no down-scoped token is requested.
    var narrowingSticks: ProtocolError { machine.narrowingSticks }

    func heldToken(of variant: TokenVariant?) -> HeldToken? { machine.heldToken(of: variant) }

    /// Keeps an answer for later plain requests, if the state allows this token to be served while it is valid; the
    /// next change of state drops it.
    ///
    /// Not if the token's end is unknown: it is renewed as a precaution, and the machine decides each time whether to
    /// trust it still.
    func keepReady(_ result: TokenGet.Result, of token: HeldToken) {
        guard context.isOpenToAll, token.wholeLife != nil, !result.refreshed, context.fault == nil,
            !machine.isHeldBack, machine.record?.token == token
        else { return }
        readyToken = ReadyToken(result, of: token)
    }

    /// An ID token of a renewal was not kept.
    ///
    /// - Returns: whether it is the first of this sign-in. A check that fails now fails at each renewal.
    func noteDroppedIDToken() -> Bool {
        defer { hasDroppedIDToken = true }
        return !hasDroppedIDToken
    }

    // MARK: Clients

    /// A client asks for a token.
    func demand(_ demand: TokenDemand) -> (answer: GrantStateMachine.Answer, actions: [GrantStateMachine.Action]) {
        let ready = readyToken
        let result = machine.demand(demand, at: now)
        // A request that begins nothing and is about another token does not affect the account's own.
        if demand.variant != nil, result.actions.isEmpty { readyToken = ready }
        return armed(result)
    }

    /// The work that a client waited for has ended.
    func resume(
        _ demand: TokenDemand,
        renewed: Bool,
        of variant: TokenVariant?
    ) -> (answer: GrantStateMachine.Answer, actions: [GrantStateMachine.Action]) {
        armed(machine.resume(demand, renewed: renewed, of: variant, at: now))
    }

    // MARK: The user's decisions

    /// A grant comes into force: it is in the store, or is written again because of `error`.
    func signedIn(_ record: GrantRecord, unstored error: StoreError? = nil) -> [GrantStateMachine.Action] {
        invalidateInFlightWork(.dropped)
        hasDroppedIDToken = false
        return armed(machine.signedIn(record, unstored: error, at: now, random: random()))
    }

    /// The user signs out, or the account's flow does not use the grant.
    func loggedOut(_ disposition: GrantWork.Disposition = .dropped) -> [GrantStateMachine.Action] {
        invalidateInFlightWork(disposition)
        return armed(machine.loggedOut())
    }

    private func invalidateInFlightWork(_ disposition: GrantWork.Disposition) {
        generation += 1
        lateDisposition = disposition
    }

    /// Stops or resumes background work for the user.
    func pause(_ isPaused: Bool) {
        machine.isPaused = isPaused
        arm()
    }

    // MARK: Settings

    /// Takes over the current settings, and holds back a grant that they would send elsewhere. What a provider refused
    /// before is tried again.
    func reconfigure() {
        let settings = context.configuration?.refresh ?? machine.settings
        machine.reconfigured(settings: settings, isHeldBack: !context.isAllowed(machine.record))
        arm()
    }

    /// Nothing is asked of the provider for an account without a usable file, or by a daemon that is ending.
    func enableIfUsable() {
        machine.isDisabled = context.configuration == nil || isStopped
        arm()
    }

    /// Stops all background work except the store's.
    func stop() {
        isStopped = true
        enableIfUsable()
    }

    // MARK: The store and the provider

    /// Starts a read of the store, unless one is under way.
    func beginLoad() -> [GrantStateMachine.Action] { armed(machine.beginLoad()) }

    /// The store has answered; nil: it has no item.
    func loaded(_ stored: GrantRecord?) -> [GrantStateMachine.Action] {
        let record = context.inForce(stored)
        return armed(machine.loaded(record, isHeldBack: !context.isAllowed(record), at: now, random: random()))
    }

    func loadFailed(_ error: StoreError) -> [GrantStateMachine.Action] { armed(machine.loadFailed(error)) }

    /// The store can be tried again.
    func storeOpened() -> [GrantStateMachine.Action] { armed(machine.storeOpened(at: now)) }

    /// The store accepted, or refused again, a record that it had refused before.
    func written(_ result: Result<Void, StoreError>) -> [GrantStateMachine.Action] {
        armed(machine.written(result, at: now))
    }

    func refreshFinished(_ outcome: RefreshOutcome) -> [GrantStateMachine.Action] {
        guard case .replaced(let record) = outcome else {
            return armed(machine.refreshFinished(outcome, at: now, random: random()))
        }
        return armed(machine.replaced(by: record, isHeldBack: !context.isAllowed(record), at: now, random: random()))
    }

    /// A network has come.
    func networkAppeared() {
        machine.networkAppeared(at: now, random: random())
        arm()
    }

    // MARK: Time

    /// The clocks stepped, or the machine was asleep.
    func timeJumped() -> [GrantStateMachine.Action] {
        machine.timeJumped(at: now, random: random())
        armedFor = nil
        return deadlineReached()
    }

    private func deadlineReached() -> [GrantStateMachine.Action] {
        armed(machine.deadlineReached(at: now, random: random()))
    }

    private func armed<Result>(_ result: Result) -> Result {
        arm()
        return result
    }

    /// One timer, for what is due next; anything more than a day ahead is checked again after a day (engine rule 14).
    private func arm() {
        let deadline = machine.deadline
        guard deadline != armedFor else { return }
        timer?.cancel()
        timer = nil
        armedFor = deadline
        guard let deadline else { return }
        let clock = context.ports.clock
        let horizon = clock.now.boot.advanced(by: .seconds(RefreshPolicy.longestSleep))
        timer = clock.schedule(at: min(deadline, horizon), accuracy: .seconds(1)) { [weak self] in
            self?.timerFired()
        }
    }

    private func timerFired() {
        let now = now
        if let armedFor, armedFor > now.boot { machine.lookAgain(at: now) }
        armedFor = nil
        onDeadline?(deadlineReached())
    }

    // MARK: Work

    /// Begins work for the grant as it is now.
    func begin() -> GrantWork { GrantWork(self, generation) }

    /// Corrects the store after a write that ended too late: writes the record in force. The caller holds the item.
    func reconcile() async {
        let (name, ports) = (context.name, context.ports)
        if let record = machine.newestRecord {
            if case .failure(let error) = await context.write(record) {
                ports.log.record(.storeFault(account: name, error))
            }
        } else if case .signedOut = machine.snapshot.phase {
            do {
                try await ports.store.remove(account: name)
            } catch {
                ports.state.change { $0.removals.insert(name) }
            }
        }
    }
}
