// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
package import Systemd
package import TokendProtocol

/// One account: its configuration, its grant and whatever is under way for either.
///
/// All of it lives on the loop. What a task brings back carries the generation it was started in, and is dropped if the
/// account has moved on; nothing is awaited between reading and writing the state.
@LoopActor package final class Account {
    package let name: String
    /// nil while the account's file has faults.
    package private(set) var configuration: AccountConfiguration?
    package private(set) var faults: [ConfigurationFault] = []
    package internal(set) var login: Login?
    /// When the last login ran out of time that nobody looked at.
    var ignoredLoginAt: BootInstant?
    /// Logins that ended, for those who ask within a minute.
    var endedLogins: [(login: Login, endedAt: BootInstant)] = []
    /// Who may write the item.
    let turn = ItemTurn()
    var machine: GrantStateMachine
    /// Called after every refresh that was answered.
    var onRefresh: (@LoopActor () -> Void)?
    /// Called after every change of state.
    var onChange: (@LoopActor () -> Void)?
    let ports: BrokerPorts
    let directory: ProviderDirectory
    var settings: DaemonConfiguration
    private var generation = 0
    /// No background work any more: the daemon is ending, or the account is gone.
    private var isStopped = false
    private var timer: (any ScheduledTimer)?
    private var armedFor: BootInstant?
    private var waiters: [Waiter] = []

    /// A client that waits for a token.
    private struct Waiter {
        var demand: TokenDemand
        var answer: @LoopActor (Result<Served, ProtocolError>) -> Void
    }

    /// A token and whether it is a new one.
    package struct Served {
        package var token: HeldToken
        package var record: GrantRecord?
        package var refreshed: Bool
    }

    init(name: String, ports: BrokerPorts, directory: ProviderDirectory, settings: DaemonConfiguration) {
        self.name = name
        self.ports = ports
        self.directory = directory
        self.settings = settings
        machine = GrantStateMachine(account: name, settings: RefreshSettings())
        machine.isPaused = ports.state.paused.contains(name)
    }

    // MARK: Configuration

    /// Takes over what the account's file says now.
    func configure(_ new: Configuration.Account, settings: DaemonConfiguration) {
        let hasMoved = self.settings.wire != settings.wire
        self.settings = settings
        switch new {
        case .misconfigured(let faults):
            configuration = nil
            self.faults = faults
            login?.cancel("the settings of “\(name)” have a fault now; mend it, then sign in again")
            timer?.cancel()
            armedFor = nil
            settle(renewed: false)
        case .usable(let new):
            let changed = configuration != new || hasMoved
            configuration = new
            faults = []
            machine.reconfigured(settings: new.refresh, isHeldBack: !isAllowed(machine.record))
            if changed, let login {
                login.cancel("the settings of “\(name)” changed during the sign-in; sign in again")
            }
            arm()
        }
    }

    /// Keeps a grant from going anywhere but where it was made for.
    func holdBackUnlessAllowed() {
        machine.reconfigured(settings: machine.settings, isHeldBack: !isAllowed(machine.record))
        arm()
    }

    private func isAllowed(_ record: GrantRecord?) -> Bool {
        guard let record, let configuration else { return true }
        return record.destination.allows(configuration, wire: settings.wire)
    }

    /// The fault that keeps every use of this account; nil where there is none.
    var configurationFault: ProtocolError? { faults.first?.protocolError }

    var wire: WireSettings {
        let files = [
            (settings.wire.caFile, settings.wire.caDigest), (configuration?.caFile, configuration?.caDigest),
        ]
        return WireSettings(
            authorities: files.compactMap { path, digest in
                guard let path, let digest else { return nil }
                return .init(path: path, digest: digest)
            },
            proxy: settings.wire.proxy,
            timeout: .seconds(settings.wire.timeout)
        )
    }

    func access(_ configuration: AccountConfiguration) -> ProviderAccess {
        ProviderAccess(
            account: configuration,
            wire: wire,
            transport: ports.transport,
            clock: ports.clock,
            directory: directory
        )
    }

    // MARK: Tokens

    /// The answer, where it is at hand; nil: what is needed has begun, and `whenAnswered` tells its end.
    func token(_ demand: TokenDemand) -> Result<Served, ProtocolError>? {
        if let error = configurationFault { return .failure(error) }
        let (answer, actions) = machine.demand(demand, at: ports.clock.now)
        defer { perform(actions) }
        switch answer {
        case .serve(let token, let refreshed):
            if actions.isEmpty, machine.settings.policy == .active { arm() }
            return .success(Served(token: token, record: machine.record, refreshed: refreshed))
        case .fail(let error):
            return .failure(withPendingLogin(error))
        case .wait:
            return nil
        }
    }

    /// Calls `body` once what `token` began has ended. To be called in the same turn.
    func whenAnswered(_ demand: TokenDemand, _ body: @escaping @LoopActor (Result<Served, ProtocolError>) -> Void) {
        waiters.append(Waiter(demand: demand, answer: body))
    }

    private func settle(renewed: Bool) {
        let waiting = waiters
        waiters = []
        for waiter in waiting {
            if let error = configurationFault {
                waiter.answer(.failure(error))
                continue
            }
            let (answer, actions) = machine.settled(waiter.demand, renewed: renewed, at: ports.clock.now)
            switch answer {
            case .wait:
                waiters.append(waiter)
            case .fail(let error):
                waiter.answer(.failure(withPendingLogin(error)))
            case .serve(let token, let refreshed):
                waiter.answer(.success(Served(token: token, record: machine.record, refreshed: refreshed)))
            }
            perform(actions)
        }
    }

    /// Where a login waits for its person already, the client is told which.
    private func withPendingLogin(_ error: ProtocolError) -> ProtocolError {
        guard error.kind == .loginRequired, let login, login.result == nil else { return error }
        var data = error.data
        data["login_id"] = .string(login.id)
        data["reason"] = nil
        return ProtocolError(
            .loginPending,
            "a sign-in to “\(name)” waits for its person in the browser",
            data: data
        )
    }

    // MARK: What the machine asks for

    func perform(_ actions: [GrantStateMachine.Action]) {
        for action in actions {
            switch action {
            case .load: load()
            case .refresh(let record): refresh(record)
            case .write(let record): write(record)
            case .settle(let renewed): settle(renewed: renewed)
            }
        }
        arm()
        if !actions.isEmpty { onChange?() }
    }

    /// One timer, at whatever is due next.
    private func arm() {
        let deadline = nextRefresh
        guard deadline != armedFor else { return }
        timer?.cancel()
        timer = nil
        armedFor = deadline
        guard let deadline else { return }
        timer = ports.clock.schedule(at: deadline, accuracy: .seconds(1)) { [weak self] in
            guard let self else { return }
            armedFor = nil
            perform(machine.deadlineReached(at: ports.clock.now))
        }
    }

    /// When the next refresh is due by itself.
    var nextRefresh: BootInstant? { configuration == nil || isStopped ? nil : machine.deadline }

    /// Reads the account's item, once at a time.
    func beginLoad() {
        perform(machine.beginLoad())
    }

    private func load() {
        let generation = generation
        Task { @LoopActor in
            let result = await stored()
            guard generation == self.generation else { return }
            switch result {
            case .success(let record):
                loaded(record)
            case .failure(let error):
                ports.log.record(.storeFault(account: name, error))
                perform(machine.loadFailed(error))
            }
        }
    }

    private func stored() async -> Result<GrantRecord?, StoreError> {
        do throws(StoreError) {
            if ports.state.removals.contains(name) {
                // A login that is storing its grant settles it by itself.
                guard login?.isStoring != true else { return .success(nil) }
                try await ports.store.remove(account: name)
                ports.state.removals.remove(name)
                return .success(nil)
            }
            guard let item = try await ports.store.item(account: name) else { return .success(nil) }
            return .success(try GrantRecord.read(item, at: ports.clock.now))
        } catch {
            if error.code == .unreadable {
                ports.log.record(.storeFault(account: name, error))
                return .success(nil)
            }
            return .failure(error)
        }
    }

    /// The store's word on this account.
    func loaded(_ record: GrantRecord?) {
        perform(
            machine.loaded(
                record,
                isHeldBack: !isAllowed(record),
                at: ports.clock.now,
                roll: ports.entropy.roll()
            )
        )
    }

    private func refresh(_ record: GrantRecord) {
        guard let configuration else { return }
        let generation = generation
        let flow = RefreshFlow(access: access(configuration), store: ports.store) { [weak self] in
            self?.generation == generation
        }
        Task { @LoopActor in
            await turn.take()
            let outcome = generation == self.generation ? await flow.run(record) : nil
            turn.give()
            guard generation == self.generation, let outcome else { return }
            onRefresh?()
            report(outcome)
            perform(machine.refreshFinished(outcome, at: ports.clock.now, roll: ports.entropy.roll()))
        }
    }

    private func report(_ outcome: RefreshOutcome) {
        switch outcome {
        case .renewed(let record, isStored: _):
            ports.log.record(.tokenRefreshed(account: name, expiresAt: record.token?.expiresAt))
        case .unstored(_, let error), .storeBlocked(let error): ports.log.record(.storeFault(account: name, error))
        case .quarantined: ports.log.record(.grantEnded(account: name, reason: .subject, oauthError: nil))
        case .refused(_, let failure), .failed(let failure):
            ports.log.record(.refreshFailed(account: name, failure.error))
        case .ended(let end):
            ports.log.record(.grantEnded(account: name, reason: end.reason, oauthError: end.oauthError))
        case .vanished: ports.log.record(.grantEnded(account: name, reason: .signedOut, oauthError: nil))
        }
    }

    private func write(_ record: GrantRecord) {
        guard let configuration else { return }
        let generation = generation
        Task { @LoopActor in
            await turn.take()
            defer { turn.give() }
            guard generation == self.generation else { return }
            let result = await keep(record.item(for: configuration))
            guard generation == self.generation else { return }
            perform(machine.written(result, at: ports.clock.now))
        }
    }

    func keep(_ item: StoredItem) async -> Result<Void, StoreError> {
        do {
            try await ports.store.write(item)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// From here on nothing that was started before counts.
    func moveOn() {
        generation += 1
        machine.isLoading = false
    }

    /// The store was unlocked, or another one took its place.
    func storeChanged() {
        perform(machine.storeOpened(at: ports.clock.now))
    }

    /// The configuration's word for the provider.
    var issuerName: String { configuration?.issuerName ?? "" }

    // MARK: The daemon's life

    /// The first read of all items brought this account's, or none.
    func firstRead(_ item: StoredItem?) {
        guard machine.isLoading else { return }
        if ports.state.removals.contains(name) { return loaded(nil) }
        do throws(StoreError) {
            loaded(try item.map { item throws(StoreError) in try GrantRecord.read(item, at: ports.clock.now) })
        } catch {
            ports.log.record(.storeFault(account: name, error))
            if error.code == .unreadable { loaded(nil) } else { perform(machine.loadFailed(error)) }
        }
    }

    func firstReadFailed(_ error: StoreError) {
        guard machine.isLoading else { return }
        perform(machine.loadFailed(error))
    }

    /// The clocks stepped: the timer is set anew.
    func timeJumped() {
        armedFor = nil
        perform(machine.deadlineReached(at: ports.clock.now))
    }

    /// The account's file is gone: nothing is served, the item stays.
    func retire() {
        configuration = nil
        faults = []
        login?.cancel("the account “\(name)” was removed")
        timer?.cancel()
        timer = nil
        armedFor = nil
        let waiting = waiters
        waiters = []
        for waiter in waiting {
            waiter.answer(.failure(ProtocolError(.accountUnknown, "the account “\(name)” was removed")))
        }
    }

    /// Whether an answer of the provider's is to be stored before the account may be let go of.
    var isBusy: Bool { machine.isRefreshing || login?.isStoring == true }

    /// No background work any more.
    func stop() {
        login?.cancel("tokend is stopping")
        isStopped = true
        timer?.cancel()
        timer = nil
        armedFor = nil
    }

    /// Background work stops, or is taken up again, because a person says so.
    func pause(_ isPaused: Bool) {
        machine.isPaused = isPaused
        if isPaused { ports.state.paused.insert(name) } else { ports.state.paused.remove(name) }
        arm()
        onChange?()
    }

    /// Puts the held token into the item where the last write did not.
    func keepToken() async {
        guard let configuration, let record = machine.record, record.token != nil, machine.isTokenUnstored else {
            return
        }
        if case .failure(let error) = await keep(record.item(for: configuration)) {
            ports.log.record(.storeFault(account: name, error))
        }
    }
}
