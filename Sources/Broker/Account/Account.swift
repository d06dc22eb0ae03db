// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
package import Systemd
package import TokendProtocol

/// One account: its configuration, its grant, and the work under way for either.
///
/// All of it runs on the loop, and nothing is awaited between reading and writing the state. Three things keep tasks
/// from disturbing each other:
///
/// - `generation` rises with each logout, login, import and change of flow. A task remembers the number that it began
///   with and compares it after each `await`. If it differs, the task must not change `machine`, and `lateFate` says what
///   becomes of its result. If a new grant came into force without `moveOn`, an old refresh could undo it.
/// - `itemMutex` is held for each write of the item, from the check of the generation to the store's answer. A writer that
///   does not take it may put an old record over a newer one. A logout does not wait for it: a writer that finds the
///   generation changed afterwards corrects the store (`mend`).
/// - `tokenMutex` is held for a whole refresh, so that the refresh token is not sent twice at once, and by a login that
///   keeps the held refresh token. It is taken before `itemMutex`, never while that is held: that would be a deadlock.
@LoopActor package final class Account {
    /// What its parts share: the ports, and what the files say.
    let context: AccountContext
    /// The client that the provider knows.
    let client: ClientItem
    /// Logins and imports under way.
    let signIns: SignIns
    /// Serialises writes of the account's item.
    let itemMutex = AsyncMutex()
    /// Serialises use of the refresh token: a whole refresh, or a login that stores the current token again.
    let tokenMutex = AsyncMutex()
    var machine: GrantStateMachine {
        didSet { readyToken = nil }
    }
    /// What a plain request gets without asking the machine; any change of state or settings drops it.
    var readyToken: ReadyToken?
    /// Whether it was told that an ID token of a renewal was not kept.
    var hasDroppedIDToken = false
    /// Called after every refresh that was answered.
    var onRefresh: (@LoopActor () -> Void)?
    /// Called after every change of state.
    var onChange: (@LoopActor () -> Void)?
    /// Rises with each login and logout; see above.
    private(set) var generation = 0
    /// What becomes of a refresh that ends after a login or a logout.
    private(set) var lateFate = RefreshFlow.Fate.dropped
    /// No background work any more but the store's: the daemon is ending.
    private var isStopped = false
    var timer: (any ScheduledTimer)?
    var armedFor: BootInstant?
    /// Tells that the grant's fixed end comes near.
    let endWatch: EndWatch
    /// What the provider could not be told of a logout yet.
    let revocation: PendingRevocation
    /// Clients that wait for a token.
    let waiters = TokenWaiters()

    /// A token and whether it is a new one.
    package struct Served {
        package var token: HeldToken
        package var record: GrantRecord?
        package var refreshed: Bool
    }

    init(name: String, ports: BrokerPorts, directory: ProviderDirectory, settings: DaemonConfiguration) {
        context = AccountContext(name: name, ports: ports, directory: directory, daemon: settings)
        client = ClientItem(context)
        signIns = SignIns(clock: ports.clock)
        revocation = PendingRevocation(context, client: client)
        endWatch = EndWatch(account: name, clock: ports.clock, log: ports.log)
        machine = GrantStateMachine(account: name, settings: RefreshSettings())
        machine.isPaused = ports.state.notes.paused.contains(name)
    }

    // MARK: Configuration

    /// Takes over what the account's file says now.
    func configure(_ new: Configuration.Account, settings: DaemonConfiguration) {
        let isElsewhere = context.configure(new, daemon: settings)
        readyToken = nil
        guard let configuration else {
            login?.cancel("the settings of “\(name)” have a fault now; mend it, then sign in again")
            halt()
            return resumeWaiters(renewed: false)
        }
        machine.reconfigured(settings: configuration.refresh, isHeldBack: !context.isAllowed(machine.record))
        if isElsewhere { login?.cancel("the settings of “\(name)” changed during the sign-in; sign in again") }
        halt()
        settleFlow()
    }

    /// Keeps a grant from going anywhere but where it was made for.
    func holdBackUnlessAllowed() {
        machine.reconfigured(settings: machine.settings, isHeldBack: !context.isAllowed(machine.record))
        arm()
    }

    /// Nothing is asked of the provider for an account without a usable file, or by a daemon that is ending.
    private func halt() {
        machine.isDisabled = configuration == nil || isStopped
        arm()
    }

    // MARK: The daemon's life

    /// Invalidates all work in flight.
    func moveOn(_ fate: RefreshFlow.Fate = .dropped) {
        generation += 1
        lateFate = fate
        machine.isLoading = false
    }

    /// The store was unlocked, or another one took its place.
    func storeChanged() {
        perform(machine.storeOpened(at: ports.clock.now))
    }

    /// The clocks stepped, or the machine was asleep.
    func timeJumped() {
        machine.timeJumped(at: ports.clock.now, roll: ports.entropy.roll())
        armedFor = nil
        deadlineReached()
        endWatch.watch(machine.record)
    }

    /// A network has come.
    func networkAppeared() {
        machine.networkAppeared(at: ports.clock.now, roll: ports.entropy.roll())
        arm()
        revocation.networkAppeared()
    }

    /// The account's file is gone: nothing is served, the item stays; a refresh that was sent is kept all the same.
    func retire() {
        login?.cancel("the account “\(name)” was removed")
        context.retire()
        readyToken = nil
        halt()
        waiters.answerAll(.failure(context.gone))
    }

    /// Whether an answer of the provider's is to be stored before the account may be let go of.
    var isBusy: Bool { machine.isBusy || signIns.isBusy }

    /// No background work any more but the store's.
    func stop() {
        login?.cancel("tokend is stopping")
        signIns.closeEndSession()
        isStopped = true
        halt()
    }

    /// Background work stops, or is taken up again, because a user says so; whoever calls notes it down.
    func pause(_ isPaused: Bool) {
        machine.isPaused = isPaused
        arm()
        onChange?()
    }
}

// MARK: - What is asked of an account

extension Account {
    package var name: String { context.name }

    /// nil while the account's file has faults.
    package var configuration: AccountConfiguration? { context.configuration }

    /// The login under way.
    package var login: Login? { signIns.login }

    package var faults: [ConfigurationFault] { context.faults }

    var ports: BrokerPorts { context.ports }

    var wire: WireSettings { context.wire }

    /// The configuration's name for the provider.
    var issuerName: String { configuration?.issuerName ?? "" }

    var policy: AccountPolicy { context.policy }

    var hasPolicy: Bool { context.hasPolicy }

    /// Whether every program may have a token without a question.
    var isOpenToAll: Bool { policy.isOpen(under: context.daemon.administrator) }

    /// Where the account is described.
    var file: String { context.file }
}
