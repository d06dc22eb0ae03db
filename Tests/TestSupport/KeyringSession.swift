// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import FoundationEssentials
internal import Synchronization

/// A private world for tests that need a Secret Service: a folder as HOME and XDG_RUNTIME_DIR, a message bus of its
/// own and, on it, a real gnome-keyring. Needs no display and no root.
///
///     let session = try await KeyringSession.start()
///     let child = try ChildProcess(tokend, environment: session.environment)
///     …
///     await session.stop()
///
/// Everything in it is ended by its process ID; dropping the session kills what is left and removes the folder.
package final class KeyringSession: Sendable {
    /// What provides the Secret Service at first.
    package enum Provider: Sendable {
        /// gnome-keyring with its default collection unlocked.
        case unlocked
        /// Nobody, and D-Bus can activate none.
        case none
    }

    /// The password of the default collection.
    package static let password = "pw123"
    /// The bus name that a provider owns.
    package static let busName = "org.freedesktop.secrets"

    /// The folder that holds it all; absolute.
    package let folder: String
    /// The address of its bus.
    package let busAddress: String
    /// The environment of programs inside: PATH, HOME, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS, LANG.
    package let environment: [String: String]

    let bus: ChildProcess
    let keyring = Mutex<ChildProcess?>(nil)

    private init(folder: String, bus: ChildProcess, environment: [String: String]) {
        self.folder = folder
        self.bus = bus
        self.environment = environment
        self.busAddress = environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
    }

    deinit {
        keyring.withLock { $0 = nil }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts the bus and, where asked for, the keyring; both are ready when this returns.
    ///
    /// - Parameter activatable: whether D-Bus starts a gnome-keyring when a client asks for the name and nobody has
    ///   it, as it does on desktops.
    package static func start(
        _ provider: Provider = .unlocked,
        activatable: Bool = false
    ) async throws -> KeyringSession {
        let folder = try SessionFolder.make()
        let environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": folder + "/home",
            "XDG_RUNTIME_DIR": folder + "/run", "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/run/bus",
        ]
        let configuration = try SessionFolder.writeBusConfiguration(in: folder, activatable: activatable)
        let bus = try ChildProcess(
            "dbus-daemon",
            ["--nofork", "--nopidfile", "--print-address=1", "--config-file=\(configuration)"],
            environment: environment
        )
        _ = try await bus.line()
        let session = KeyringSession(folder: folder, bus: bus, environment: environment)
        if case .unlocked = provider {
            try await session.startKeyring(unlocked: true)
        }
        return session
    }

    /// Starts gnome-keyring and waits until it owns the name; `unlocked: false` leaves its collection locked, with
    /// nothing but hashes of the attributes known to it.
    package func startKeyring(unlocked: Bool) async throws {
        let arguments = ["--foreground", "--components=secrets", unlocked ? "--unlock" : "--start"]
        let child = try ChildProcess(
            "gnome-keyring-daemon",
            arguments,
            environment: environment,
            input: unlocked ? .text(Self.password) : .none
        )
        adopt(child)
        try await waitForName()
    }

    /// Makes a provider the session's own, to be killed, frozen and ended with it.
    func adopt(_ child: ChildProcess) {
        keyring.withLock { $0 = child }
    }

    /// The process ID of the keyring that this session started last; nil when it was killed.
    package var keyringProcessID: Int32? { keyring.withLock { $0?.processID } }

    /// Ends the keyring, at once as a crash would, or asked to; the name is free when this returns.
    package func killKeyring(signal: Int32 = 9) async throws {
        guard let child = keyring.withLock({ $0.take() }) else { return }
        child.signal(signal)
        _ = try await child.exit()
        try await waitForNameGone()
    }

    /// Stops the keyring's process without ending it: it answers nobody until ``thawKeyring()``.
    package func freezeKeyring() {
        keyring.withLock { $0?.signal(19) }
    }

    /// Lets a frozen keyring go on.
    package func thawKeyring() {
        keyring.withLock { $0?.signal(18) }
    }

    /// Ends all of it and waits for the ends; harmless when done twice.
    package func stop() async {
        if let child = keyring.withLock({ $0.take() }) {
            await child.stop(grace: .seconds(2))
        }
        if bus.isRunning {
            try? await endActivatedKeyring()
        }
        await bus.stop(grace: .seconds(2))
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs `body` in a session and ends the session whatever happens.
    package static func with<Result>(
        _ provider: Provider = .unlocked,
        activatable: Bool = false,
        _ body: (KeyringSession) async throws -> Result
    ) async throws -> Result {
        let session = try await start(provider, activatable: activatable)
        do {
            let result = try await body(session)
            await session.stop()
            return result
        } catch {
            await session.stop()
            throw error
        }
    }
}
