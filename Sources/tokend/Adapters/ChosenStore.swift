// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Keyring
import Secrets
import Systemd
import TokendProtocol

/// The store that the settings name, opened once they can be read: a daemon with a broken `config.json5` at its start
/// opens none, and the right one when the file is fixed.
final class ChosenStore: CredentialStore {
    private let environment: [String: String]
    private let state: any LastingState
    private var chosen: (settings: DaemonConfiguration, store: any CredentialStore)?
    /// Called when a store was opened after the start.
    var onChosen: (@LoopActor () -> Void)?

    init(environment: [String: String], state: any LastingState) {
        self.environment = environment
        self.state = state
    }

    /// Opens the configured store, and locks it for this daemon.
    func choose(_ settings: DaemonConfiguration) throws(StartFailure) {
        chosen = (settings, try store(settings))
        onChosen?()
    }

    /// Reconciles the new settings with the open store.
    func settle(_ configuration: inout Configuration) {
        if let chosen {
            configuration.hold(toStoreOf: chosen.settings)
        } else if configuration.daemonFaults.isEmpty {
            do throws(StartFailure) {
                try choose(configuration.daemon)
            } catch {
                configuration.refuseStore(error.message)
            }
        }
    }

    private func store(_ settings: DaemonConfiguration) throws(StartFailure) -> any CredentialStore {
        switch settings.store {
        case .memory: return MemoryStore()
        case .file:
            let path = settings.storeFile.path ?? FileStore.standardPath(environment: environment)
            return try FileStore(
                path: path,
                key: settings.storeFile.key,
                credentials: environment["CREDENTIALS_DIRECTORY"].nonEmpty,
                entropy: KernelEntropy()
            )
        case .auto, .secretService: return try keyringStore()
        }
    }

    private func keyringStore() throws(StartFailure) -> KeyringStore {
        let runtime = environment["XDG_RUNTIME_DIR"].nonEmpty ?? "/run/user/\(getuid())"
        let folder = runtime + "/tokend"
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw StartFailure(code: 73, message: "cannot make the folder \(folder): \(StartFailure.reason)")
        }
        return KeyringStore(lock: try InstanceLock(path: folder + "/secret-service.lock"), state: state)
    }

    // MARK: The open store

    var kind: String { chosen?.store.kind ?? "unknown" }
    var program: String? { chosen?.store.program }

    func items() async throws(StoreError) -> [StoredItem] {
        try await open().items()
    }

    func item(_ kind: StoredItem.Kind, account: String) async throws(StoreError) -> StoredItem? {
        try await open().item(kind, account: account)
    }

    func write(_ item: StoredItem) async throws(StoreError) {
        try await open().write(item)
    }

    func remove(_ kind: StoredItem.Kind, account: String) async throws(StoreError) {
        try await open().remove(kind, account: account)
    }

    func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError) {
        try await open().unlock(passphrase: passphrase, timeout: timeout)
    }

    private func open() throws(StoreError) -> any CredentialStore {
        guard let chosen else {
            throw StoreError(code: .unavailable, message: "no store is open: config.json5 has a fault")
        }
        return chosen.store
    }
}
