// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
package import Systemd
package import TokendProtocol

/// All accounts of one user, and whatever concerns more than one of them.
@LoopActor package final class Broker {
    package let ports: BrokerPorts
    let store: ObservedStore
    let prompt: StorePrompt
    let directory: ProviderDirectory
    package private(set) var configuration: Configuration
    private(set) var accounts: [String: Account] = [:]
    /// Accounts whose file is gone while an answer of the provider is still to be stored. If the file returns
    /// meanwhile, the account does too, so that no second one sends the same refresh token.
    private(set) var retired: [String: Account] = [:]
    /// Refresh requests that were answered, since the start.
    package internal(set) var refreshCount = 0
    /// Whether a policy needs to know which program asks.
    private(set) var hasPolicies = false
    /// Refusals that were logged recently.
    var refusals = RefusalTally()
    /// Called after every change that the service manager's status line shows.
    package var onChange: (@LoopActor () -> Void)?
    /// Called once new settings are in force.
    package var onReload: (@LoopActor () -> Void)?
    private let readConfiguration: @LoopActor (DaemonConfiguration) -> Configuration
    private var storeLook: (any ScheduledTimer)?

    /// - Parameter readConfiguration: reads the files as they are now; takes the daemon settings in force.
    package init(
        ports: BrokerPorts,
        readConfiguration: @escaping @LoopActor (DaemonConfiguration) -> Configuration
    ) {
        let store = ObservedStore(ports.store)
        var ports = ports
        ports.store = store
        ports.redirects = SharedRedirects(ports.redirects)
        self.store = store
        prompt = StorePrompt(store: store, clock: ports.clock)
        self.ports = ports
        self.readConfiguration = readConfiguration
        directory = ProviderDirectory(transport: ports.transport, clock: ports.clock)
        configuration = readConfiguration(DaemonConfiguration())
        isBroken = !configuration.daemonFaults.isEmpty
        adopt(configuration)
        store.onOpened = { [weak self] in self?.storeOpened() }
        store.onShut = { [weak self] in self?.lookAgain(after: .seconds(10)) }
    }

    /// The daemon's own settings had a fault at the start, and no good ones have been read since.
    package private(set) var isBroken = false

    // MARK: Configuration

    /// Reads the files anew: accounts with a fault stop, all others continue.
    package func reload() {
        directory.forgetAll()
        let new = readConfiguration(configuration.daemon)
        configuration = new
        if new.daemonFaults.isEmpty { isBroken = false }
        adopt(new)
        if isToRead, !hasStarted, !isBroken { readStore() }
        onReload?()
        ports.log.record(.configurationRead(accounts: new.accounts.count, faults: configuration.faults))
        onChange?()
    }

    /// Notes why further sockets are not open, by their names: this is reported with the settings' faults.
    package func note(closedSockets reasons: [String: String]) {
        configuration.note(closedSockets: reasons)
    }

    private func adopt(_ new: Configuration) {
        retired = retired.filter { $0.value.isBusy }
        for (name, account) in accounts where new.accounts[name] == nil {
            account.retire()
            accounts[name] = nil
            retired[name] = account
        }
        for (name, configured) in new.accounts {
            if let account = accounts[name] {
                account.configure(configured, daemon: new.daemon)
                continue
            }
            if let account = retired.removeValue(forKey: name), account.isBusy {
                accounts[name] = account
                account.configure(configured, daemon: new.daemon)
                continue
            }
            let context = AccountContext(name: name, ports: ports, directory: directory, daemon: new.daemon)
            let account = Account(
                context,
                onRefresh: { [weak self] in self?.refreshCount += 1 },
                onChange: { [weak self] in self?.onChange?() }
            )
            accounts[name] = account
            account.configure(configured, daemon: new.daemon)
            if hasStarted { account.beginLoad() }
        }
        hasPolicies = accounts.values.contains { !$0.isOpenToAll }
    }

    /// The daemon serves, and the grants have yet to be read.
    private var isToRead = false
    private var hasStarted = false
    /// The pending revocations of earlier daemons are being sent.
    var hasSentRevocations = false

    // MARK: The store

    /// Reads every grant, once; called when the socket already listens. Raises no prompt. If `config.json5` is broken,
    /// the store is unknown: nothing is read until the file is fixed.
    package func start() {
        isToRead = true
        if !isBroken { readStore() }
    }

    private func readStore() {
        hasStarted = true
        for account in accounts.values { account.awaitFirstRead() }
        Task.onLoop { [self] in
            await finishRemovals()
            do throws(StoreError) {
                let items = try await store.items()
                let byAccount = Dictionary(grouping: items, by: \.account)
                for account in accounts.values {
                    let own = byAccount[account.name] ?? []
                    account.client.firstRead(own.first { $0.kind == .client })
                    account.firstRead(own.first { $0.kind == .grant })
                }
                ports.log.record(.storeOpened)
                sendRevocations(items)
            } catch {
                ports.log.record(.storeFault(account: nil, error))
                for account in accounts.values { account.firstReadFailed(error) }
            }
            onChange?()
        }
    }

    /// Removes what a logout could not remove because the store was locked.
    private func finishRemovals() async {
        // A login that is storing its grant also settles its account's removal.
        for name in ports.state.notes.removals.sorted() where accounts[name]?.login?.isStoring != true {
            do throws(StoreError) {
                try await store.finishRemoval(account: name)
                ports.state.change { $0.removals.remove(name) }
            } catch {
                guard error.code == .newer else { return }
                ports.log.record(.storeFault(account: name, error))
            }
        }
        for name in ports.state.notes.clientRemovals.sorted() {
            do throws(StoreError) {
                try await credentials(of: name).finishRemoval(name)
            } catch {
                guard error.code == .newer else { return }
                ports.log.record(.storeFault(account: name, error))
            }
        }
    }

    /// The store can be read again: pending work continues.
    package func storeOpened() {
        ports.log.record(.storeOpened)
        for account in accounts.values { account.storeChanged() }
        Task.onLoop { [self] in
            await finishRemovals()
            if !hasSentRevocations, let items = try? await store.items() { sendRevocations(items) }
        }
        onChange?()
    }

    /// The store is away. That it answers again is not always signalled, so it is asked, less and less often.
    private func lookAgain(after wait: Duration) {
        storeLook?.cancel()
        storeLook = ports.clock.schedule(at: ports.clock.now.boot.advanced(by: wait), accuracy: .seconds(1)) {
            Task.onLoop { [weak self] in
                guard let self, store.state == .unavailable else { return }
                _ = try? await store.items()
                if store.state == .unavailable { lookAgain(after: min(wait * 2, .seconds(60))) }
            }
        }
    }

    /// The store signalled a change: reads again where it refused before.
    package func storeSignalled() {
        for account in accounts.values { account.storeChanged() }
    }

    /// The clocks stepped, or the machine was asleep: recomputes all times.
    package func timeJumped() {
        for account in accounts.values { account.timeJumped() }
    }

    /// A network has come: retries what failed for a passing reason.
    package func networkAppeared() {
        for account in accounts.values { account.networkAppeared() }
    }

    // MARK: Finding accounts

    /// The account that a request means: by name, the only one of an issuer, the default one, the only one.
    package func account(named name: String?, issuer: String? = nil) throws(ProtocolError) -> Account {
        if let name {
            guard let account = accounts[name] else {
                throw unknownAccount(name)
            }
            if let issuer, account.issuerName != issuer {
                throw unknown("the account “\(name)” is not one of \(DisplayText.sanitized(issuer))")
            }
            return account
        }
        if let issuer {
            let matching = accounts.values.filter { $0.issuerName == issuer }
            guard matching.count == 1, let account = matching.first else {
                throw unknown(
                    matching.isEmpty
                        ? "no account is one of \(DisplayText.sanitized(issuer))" : "several accounts are; name one"
                )
            }
            return account
        }
        if let name = configuration.daemon.defaultAccount, !accounts.isEmpty {
            guard let account = accounts[name] else {
                throw unknown("the default account “\(name)” is not configured (default_account in config.json5)")
            }
            return account
        }
        guard accounts.count == 1, let account = accounts.values.first else {
            throw unknown(
                accounts.isEmpty
                    ? "there is no account yet; add one with: tokenctl account add"
                    : "there are several accounts and none is the default; name one"
            )
        }
        return account
    }

    /// There is no account of that name.
    func unknownAccount(_ name: String) -> ProtocolError {
        unknown("there is no account “\(DisplayText.sanitized(name))”")
    }

    private func unknown(_ message: String) -> ProtocolError {
        ProtocolError(.accountUnknown, message, data: ["accounts": .array(accountNames.map { .string($0) })])
    }

    /// Sorted.
    package var accountNames: [String] { accounts.keys.sorted() }

    /// The login of that id, under way or just ended.
    func login(id: String) throws(ProtocolError) -> Login {
        for account in accounts.values {
            if let login = account.login(id: id) { return login }
        }
        throw ProtocolError(.loginUnknown, "no sign-in of that id is under way; it may have ended")
    }

    /// The number of accounts in each state, most first, and the time of the next automatic refresh (unix seconds).
    package var summary: (counts: [(state: AccountState, count: Int)], nextRefresh: Int64?) {
        var counts: [AccountState: Int] = [:]
        for account in accounts.values { counts[account.statusState, default: 0] += 1 }
        let now = ports.clock.now
        let next = accounts.values.compactMap(\.grant.nextRefresh).min()
        let sorted = counts.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
        return (sorted.map { ($0.key, $0.value) }, next.map { now.wall(of: $0) })
    }

    /// The login that a redirect URL belongs to, found by its `state`.
    func login(for url: Secret, id: String?) throws(ProtocolError) -> Login {
        let candidates = accounts.values.compactMap(\.login).filter { id == nil || $0.id == id }
        guard let login = candidates.first(where: { $0.isAnswer(url) }) else {
            throw ProtocolError(
                .loginUnknown,
                "that URL is not the answer to a sign-in that is under way; it may have ended"
            )
        }
        return login
    }

    // MARK: The end

    /// Whether a refresh is under way whose answer must be stored before the daemon may end.
    package var isRefreshing: Bool {
        accounts.values.contains(where: \.isBusy) || retired.values.contains(where: \.isBusy)
    }

    /// Ends all logins and all background work, but not a refresh under way.
    package func stop() {
        for account in accounts.values { account.stop() }
    }
}
