// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

@testable import Broker

/// A broker in a world that is all in memory.
@LoopActor final class World {
    /// What lies on the disk.
    @LoopActor final class Files {
        var configuration = Configuration([])
    }

    let clock = HandClock()
    let entropy = FixedEntropy()
    let transport = ScriptedTransport()
    let store = MemoryCredentialStore()
    let redirects = ScriptedRedirects()
    let browser = RecordingBrowser()
    let handlers = ChosenHandlers()
    let state = MemoryState()
    let accountFiles = MemoryAccountFiles()
    let log = RecordingLog()
    let notifier = ScriptedNotifier()
    let files = Files()
    private(set) var broker: Broker

    /// A broker that has not read its store yet.
    init(_ accounts: [AccountConfiguration]) {
        files.configuration = Configuration(accounts)
        var ports = BrokerPorts(
            clock: clock,
            entropy: entropy,
            transport: transport,
            store: store,
            redirects: redirects,
            browser: browser,
            handlers: handlers,
            state: state,
            files: accountFiles,
            log: log
        )
        ports.notifier = notifier
        broker = Broker(ports: ports) { [files] _ in files.configuration }
        self.ports = ports
    }

    private let ports: BrokerPorts

    /// A started broker whose store holds one grant: refresh token `R1`, access token `A1` of an hour, `age` seconds old.
    static func signedIn(
        _ account: AccountConfiguration,
        age: Int64 = 3600,
        _ change: (inout GrantRecord) -> Void = { _ in }
    ) async -> World {
        let world = World([account])
        var record = GrantRecord.signedIn(account, at: world.clock.now, age: age)
        change(&record)
        world.store.put(record.item(for: account))
        await world.start()
        return world
    }

    /// Reads the store, as the daemon does once its socket listens.
    func start() async {
        broker.start()
        await settle()
    }

    /// A kill and a new start: memory is forgotten, what is under way never comes back.
    func restart() async {
        clock.forgetTimers()
        transport.forgetWaiting()
        store.forgetWaiting()
        state.restart()
        killed.append(broker)
        broker = Broker(ports: ports) { [files] _ in files.configuration }
        await start()
    }

    private var killed: [Broker] = []

    /// Changes an account's file and reads it anew.
    func reconfigure(_ accounts: AccountConfiguration...) {
        files.configuration = Configuration(accounts)
        broker.reload()
    }

    func account(_ name: String = "work") throws -> Account {
        try broker.account(named: name)
    }

    /// A client's `token.get`.
    func get(_ demand: TokenDemand = TokenDemand(), of name: String = "work") throws -> ClientCall {
        ClientCall(demand, to: try account(name))
    }
}

/// One client's `token.get`, answered at once or later.
@LoopActor final class ClientCall {
    typealias Answer = Result<Account.Served, ProtocolError>

    /// nil while it waits.
    private(set) var answer: Answer?
    private var waiting: [UnsafeContinuation<Answer, Never>] = []

    init(_ demand: TokenDemand, to account: Account) {
        answer = account.token(demand)
        guard answer == nil else { return }
        account.whenAnswered(demand) { self.settle($0) }
    }

    private func settle(_ answer: Answer) {
        self.answer = answer
        for continuation in waiting { continuation.resume(returning: answer) }
        waiting = []
    }

    /// Waits for the answer; a test whose time is up gets an error.
    func ended() async -> Answer {
        if let answer { return answer }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { waiting.append($0) }
        } onCancel: {
            Task { @LoopActor in settle(.failure(ProtocolError(.timeout, "the test's time is up"))) }
        }
    }

    /// The access token, once there is an answer; nil for an error.
    func token() async -> String? {
        try? await ended().get().token.accessToken.reveal()
    }

    /// The error, once there is an answer; nil for a token.
    func failure() async -> ProtocolError? {
        guard case .failure(let error) = await ended() else { return nil }
        return error
    }
}

extension Configuration {
    /// Accounts without a fault.
    init(_ accounts: [AccountConfiguration]) {
        self.init(files: Files(folder: "/home/u/.config/tokend"), digestOfFile: { _ in nil })
        for account in accounts { self.accounts[account.name] = .usable(account) }
    }
}
