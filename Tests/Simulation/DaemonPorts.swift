// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

/// The simulated machine's clocks.
@LoopActor final class DaemonClock: Clock {
    private final class Timer: ScheduledTimer {
        private let entry: Agenda.Entry

        init(_ entry: Agenda.Entry) {
            self.entry = entry
        }

        func cancel() { entry.cancel() }
    }

    private unowned let world: World
    private let daemon: Daemon

    init(_ world: World, _ daemon: Daemon) {
        self.world = world
        self.daemon = daemon
    }

    var now: Moment { world.moment }

    func schedule(
        at instant: BootInstant,
        accuracy: Duration,
        _ action: @escaping @LoopActor () -> Void
    ) -> any ScheduledTimer {
        let late = world.dice.span(0...(accuracy >= .seconds(1) ? .milliseconds(900) : .milliseconds(40)))
        let at = Span(clamping: min(instant.microseconds, UInt64(Span.max / 2))) + late
        return Timer(world.agenda.at(at) { [weak daemon] in if daemon?.isOver == false { action() } })
    }
}

@LoopActor final class DaemonEntropy: Entropy {
    private var dice: Dice

    init(dice: Dice) {
        self.dice = dice
    }

    func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            let word = dice.next()
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return Array(bytes.prefix(count))
    }
}

/// curl, as far as the daemon can tell.
@LoopActor final class DaemonTransport: HTTPTransport {
    private unowned let world: World
    private let daemon: Daemon

    init(_ world: World, _ daemon: Daemon) {
        self.world = world
        self.daemon = daemon
    }

    func send(_ request: HTTPRequest, wire: WireSettings) async throws(TransportError) -> HTTPResponse {
        guard !daemon.isOver, let provider = world.providers.first(where: { $0.host == request.url.host }) else {
            throw .lost(.cancelled, mayHaveBeenSent: false)
        }
        let (daemon, world) = (daemon, world)
        var account: String?
        if request.url.path == "/token" {
            let form = request.form
            account = form["refresh_token"].flatMap { world.book.refreshToken($0)?.grant.account }
            world.rules.sending(form, to: provider, by: daemon)
        }
        let exchange = world.network.carry(request, from: daemon, to: provider)
        let end = await daemon.end(of: exchange, account: account)
        return try end.get()
    }
}

/// The store as one daemon reaches it.
@LoopActor final class DaemonStore: CredentialStore {
    private unowned let world: World
    private let daemon: Daemon

    init(_ world: World, _ daemon: Daemon) {
        self.world = world
        self.daemon = daemon
    }

    var kind: String { "secret-service" }

    func items() async throws(StoreError) -> [StoredItem] {
        try await call(isWrite: false) { disk in
            disk.items.values.sorted { ($0.account, $0.kind.rawValue) < ($1.account, $1.kind.rawValue) }
        }
    }

    func item(_ kind: StoredItem.Kind, account: String) async throws(StoreError) -> StoredItem? {
        try await call(isWrite: false) { $0.items[.init(kind: kind, account: account)] }
    }

    func write(_ item: StoredItem) async throws(StoreError) {
        try await call(isWrite: true) { $0.set(item, .init(kind: item.kind, account: item.account)) }
        guard item.kind == .grant, !daemon.isOver else { return }
        if let name = item.refreshToken { world.book.refreshToken(name)?.wasStored = true }
    }

    func remove(_ kind: StoredItem.Kind, account: String) async throws(StoreError) {
        try await call(isWrite: true) { $0.set(nil, .init(kind: kind, account: account)) }
    }

    func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError) {
        throw StoreError(code: .dismissed, message: "nobody answers the prompt")
    }

    /// What was asked for is done even where its daemon dies meanwhile.
    private func call<Value: Sendable>(
        isWrite: Bool,
        _ body: @escaping @LoopActor (Disk) -> Value
    ) async throws(StoreError) -> Value {
        let (daemon, world) = (daemon, world)
        guard !daemon.isOver else { throw Self.gone }
        let (there, back) = world.disk.spans()
        var result: Result<Value, StoreError> = .failure(Self.gone)
        world.agenda.after(there) {
            if let fault = world.disk.fault(isWrite: isWrite) {
                result = .failure(fault)
                if !daemon.isOver { world.rules.storeRefuses() }
            } else {
                result = .success(body(world.disk))
                if isWrite { world.passedPort() }
            }
        }
        await daemon.wait(there + back)
        guard !daemon.isOver else { throw Self.gone }
        return try result.get()
    }

    private static let gone = StoreError(code: .unavailable, message: "the process is gone")
}

/// The file of what outlives a start and is no secret.
@LoopActor final class DaemonState: LastingState {
    private unowned let world: World
    private let daemon: Daemon
    private(set) var notes: LastingNotes

    init(_ world: World, _ daemon: Daemon) {
        self.world = world
        self.daemon = daemon
        notes = world.notes
    }

    var fault: LastingFault? { world.isStateFolderFull ? LastingFault(message: "the disk is full") : nil }

    func change(_ edit: (inout LastingNotes) -> Void) -> LastingFault? {
        edit(&notes)
        guard notes != world.notes, !daemon.isOver else { return nil }
        if let fault { return fault }
        world.notes = notes
        return nil
    }
}

@LoopActor final class DaemonLog: EventLog {
    private unowned let world: World
    private let daemon: Daemon

    init(_ world: World, _ daemon: Daemon) {
        self.world = world
        self.daemon = daemon
    }

    func record(_ event: BrokerEvent) {
        guard !daemon.isOver else { return }
        switch event {
        case .tokenRefreshed(let account, _): world.trace.note("log: renewed", account)
        case .tokenDerived(let account, _): world.trace.note("log: another token came", account)
        case .tokenRefused(let account, let error):
            world.trace.note("log: token refused", "\(account) \(error.message)")
        case .refreshFailed(let account, let error):
            world.trace.note("log: renewal failed", "\(account) \(error.message)")
        case .idTokenDropped(let account, let reason): world.trace.note("log: ID token dropped", "\(account) \(reason)")
        case .grantEnded(let account, let reason, _):
            world.trace.note("log: grant ended", "\(account) \(reason)")
            world.rules.ended(account, reason, by: daemon)
        case .storeFault(let account, let error):
            world.trace.note("log: store fault", "\(account ?? "-") \(error.message)")
        case .storeRolledBack(let account): world.trace.note("log: store rolled back", account)
        case .loginFinished(let account, _, let error):
            world.trace.note("log: sign-in finished", "\(account) \(error?.message ?? "well")")
        case .loggedOut(let account, let fault):
            world.trace.note("log: signed out", "\(account) \(fault ?? "and revoked")")
        case .internalFault(let message): world.rules.fail("The daemon finds no fault in itself.", message)
        default: break
        }
    }
}

/// Nobody opens a browser by way of the daemon: users follow the URL that they are shown.
final class NoBrowser: BrowserOpener {
    nonisolated init() {}

    func open(_ url: WebURL, command: [String]?) async throws(BrowserError) {}
}

/// Account files are edited by hand alone.
final class NoFiles: AccountFiles {
    nonisolated init() {}

    func path(of account: String) -> String { "/home/u/.config/tokend/accounts/\(account).json5" }

    func write(_ content: [UInt8], account: String) throws(AccountFileError) {}

    func remove(account: String) throws(AccountFileError) {}

    func digest(ofFile path: String) -> String? { nil }
}
