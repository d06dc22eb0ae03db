// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret
import Glibc
import Systemd

/// The worker's session with the current provider of the Secret Service. Worker's thread only.
///
/// A session is bound to the unique name of one provider, so that no operation is split between two. A provider of
/// another *program* than the one that held the items is not trusted: it would report them all as missing.
final class StoreSession {
    static let busName = "org.freedesktop.secrets"

    /// An open session with a provider.
    struct Opened {
        let connection: BusConnection
        let service: ObjectReference<SecretService>
        let provider: KeyringProvider
        /// nil if the provider is not KDE's.
        let wallet: KWallet?
    }

    let desk: WorkerDesk
    let schema: String
    /// Whether KDE's wallet asks about each program that uses it, and so about calls of its own interface.
    let walletAsks: @Sendable () -> Bool
    let memory: ProviderMemory
    /// The attributes of all our items.
    private let common: [String: String]
    private let busAddress: @Sendable () -> String?
    private var connection: BusConnection?
    private var opened: Opened?
    /// Several times what one call needs, since the rest of the process may be at its limit at the same time.
    private let reserve = DescriptorReserve(16)

    init(
        desk: WorkerDesk,
        schema: String,
        memory: ProviderMemory,
        common: [String: String],
        walletAsks: @escaping @Sendable () -> Bool,
        busAddress: @escaping @Sendable () -> String?
    ) {
        self.desk = desk
        self.schema = schema
        self.memory = memory
        self.common = common
        self.walletAsks = walletAsks
        self.busAddress = busAddress
    }

    /// The provider of the moment. The bus is asked who that is each time: GDBus goes on speaking to the name of a
    /// provider that has gone.
    ///
    /// - Parameter isPersonal: a user asked for it, so a provider is started if there is none, and one of another
    ///   program accepted. Else one is started only while none has been seen: the bus might start another than the
    ///   one that went away, which would then keep the name.
    func open(_ cancellation: Cancellation, isPersonal: Bool = false) throws(KeyringError) -> Opened {
        let connection = try connect(cancellation)
        let owner = try attempt("ask the message bus for the Secret Service") { () throws(GLibError) in
            try connection.owner(of: Self.busName, cancellation: cancellation)
        }
        let opened =
            if let owner {
                try bind(connection, to: owner, cancellation)
            } else {
                try start(connection, mayActivate: isPersonal || memory.last == nil, cancellation)
            }
        if !isPersonal, let holder = memory.holder, holder != opened.provider.program {
            // Since the earlier process it may have taken over the items, as oo7 does from gnome-keyring.
            guard memory.isNoted, try !search(common, opened, cancellation).isEmpty else {
                throw Self.replaced(holder, by: opened.provider)
            }
        }
        return opened
    }

    /// Runs GLib work. After a failure the next request starts with a new session: an old one does not recover,
    /// whatever was wrong with it.
    func attempt<Value>(
        _ task: String,
        _ body: () throws(GLibError) -> Value
    ) throws(KeyringError) -> Value {
        let value: Value?
        do throws(GLibError) {
            value = try reserve.lend(atLeast: 8, body)
        } catch {
            let failure = error.keyringError(task)
            if failure.code != .locked {
                opened = nil
            }
            throw failure
        }
        guard let value else { throw Self.noDescriptors }
        return value
    }

    private func connect(_ cancellation: Cancellation) throws(KeyringError) -> BusConnection {
        if let connection, !connection.isClosed {
            return connection
        }
        opened = nil
        guard let address = busAddress() else { throw Self.noBus }
        let connection = try attempt("connect to the session's message bus") { () throws(GLibError) in
            try BusConnection(address: address, cancellation: cancellation)
        }
        self.connection = connection
        return connection
    }

    private func start(
        _ connection: BusConnection,
        mayActivate: Bool,
        _ cancellation: Cancellation
    ) throws(KeyringError) -> Opened {
        opened = nil
        guard mayActivate else { throw Self.gone(memory.last) }
        let owner = try attempt("start a Secret Service") { () throws(GLibError) in
            do throws(GLibError) {
                try connection.activate(Self.busName, cancellation: cancellation)
            } catch {
                // There is nothing to start: reported below with advice.
                guard error.matches(G_DBUS_ERROR_SERVICE_UNKNOWN) else { throw error }
            }
            return try connection.owner(of: Self.busName, cancellation: cancellation)
        }
        guard let owner else { throw Self.noProvider }
        return try bind(connection, to: owner, cancellation)
    }

    private func bind(
        _ connection: BusConnection,
        to owner: String,
        _ cancellation: Cancellation
    ) throws(KeyringError) -> Opened {
        if let opened, opened.provider.owner == owner {
            return opened
        }
        opened = nil
        let opened = try attempt("open a session with the Secret Service") { () throws(GLibError) in
            let processID = try connection.processID(of: owner, cancellation: cancellation)
            let service = try Self.service(of: owner, on: connection, cancellation)
            let program = Self.program(of: processID)
            return Opened(
                connection: connection,
                service: service,
                provider: KeyringProvider(owner: owner, processID: processID, program: program),
                wallet: try KWallet(of: owner, on: connection, cancellation)
            )
        }
        self.opened = opened
        memory.saw(opened.provider)
        return opened
    }

    /// Opens a session. libsecret drops the leading zero bytes of one public key in 256, and KWallet accepts no shorter
    /// key: then another one is made.
    private static func service(
        of owner: String,
        on connection: BusConnection,
        _ cancellation: Cancellation
    ) throws(GLibError) -> ObjectReference<SecretService> {
        var keysLeft = 3
        while true {
            do throws(GLibError) {
                return try GLibError.object { error in
                    tokend_secret_open_service(connection.pointer, owner, cancellation.pointer, error)
                }
            } catch {
                keysLeft -= 1
                guard error.matches(G_DBUS_ERROR_INVALID_ARGS), keysLeft > 0 else { throw error }
            }
        }
    }

    /// The kernel's name of a process; the user cannot read gnome-keyring's executable.
    private static func program(of processID: Int32) -> String {
        let file = Glibc.open("/proc/\(processID)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "unknown" }
        defer { close(file) }
        var name = [UInt8](repeating: 0, count: 64)
        let count = read(file, &name, name.count)
        return String(decoding: name[..<max(count, 0)].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
