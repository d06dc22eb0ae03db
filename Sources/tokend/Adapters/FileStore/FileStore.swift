// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker
import Glibc
package import JOSE
package import Secrets
import Systemd

/// Grants in one encrypted file, for machines without a Secret Service: `store: "file"`.
///
/// AES-256-GCM under a key that scrypt derives from a passphrase (or from a key file). All work is done on a separate
/// thread; the loop never waits for the disk or for the key.
package final class FileStore: CredentialStore {
    /// The most passphrases that are tried at once; each takes the thread a third of a second.
    private static let attemptLimit = 4

    private let worker: StoreWorker
    private let entropy: any Entropy
    private let lock: InstanceLock
    private var attempts = 0

    package let kind = "file"

    /// Takes the lock, and touches nothing else yet.
    ///
    /// - Parameters:
    ///   - path: absolute; its folder is created if it is missing.
    ///   - credentials: `$CREDENTIALS_DIRECTORY`; nil if unset.
    ///   - cost: see `StoreVault`.
    /// - Throws: 73 and a sentence if another daemon has the store, or its folder cannot be used.
    package init(
        path: String,
        key: DaemonConfiguration.StoreFile.Key,
        credentials: String? = nil,
        entropy: any Entropy,
        cost: Scrypt.Cost = .interactive
    ) throws(StartFailure) {
        do {
            try PrivateFile.makeFolder(PrivateFile.folder(of: path))
        } catch {
            throw StartFailure(code: 73, message: error.message)
        }
        let real = try Self.withRealFolder(path)
        lock = try InstanceLock(path: real + ".lock")
        self.entropy = entropy
        let source: StoreKeySource? =
            switch key {
            case .passphrase: nil
            case .file(let path): .file(PrivateFile(path))
            case .credential(let name): .credential(name: name, folder: credentials)
            }
        worker = StoreWorker { StoreVault(PrivateFile(real), key: source, cost: cost) }
    }

    /// `$XDG_DATA_HOME/tokend/store.json`, `~/.local/share/tokend/store.json`.
    static func standardPath(environment: [String: String]) -> String {
        if let base = environment["XDG_DATA_HOME"].nonEmpty, base.hasPrefix("/") { return base + "/tokend/store.json" }
        return (environment["HOME"] ?? "/") + "/.local/share/tokend/store.json"
    }

    /// The path with its folder resolved: two daemons that use two names for it get the same lock.
    private static func withRealFolder(_ path: String) throws(StartFailure) -> String {
        let folder = PrivateFile.folder(of: path)
        guard let real = realpath(folder, nil) else {
            throw StartFailure(code: 73, message: "cannot use the folder \(folder): \(StartFailure.reason)")
        }
        defer { free(real) }
        let name = path[(path.lastIndex(of: "/") ?? path.startIndex)...]
        let folderName = String(cString: real)
        return (folderName == "/" ? "" : folderName) + name
    }

    package func items() async throws(StoreError) -> [StoredItem] {
        try await worker.perform { (vault) throws(StoreError) in try vault.contents().items }
    }

    package func item(_ kind: StoredItem.Kind, account: String) async throws(StoreError) -> StoredItem? {
        try await worker.perform { (vault) throws(StoreError) in try vault.contents().item(kind, account: account) }
    }

    package func write(_ item: StoredItem) async throws(StoreError) {
        let fresh = freshBytes()
        try await worker.perform { (vault) throws(StoreError) in try vault.change(fresh) { $0.put(item) } }
    }

    package func remove(_ kind: StoredItem.Kind, account: String) async throws(StoreError) {
        let fresh = freshBytes()
        try await worker.perform { (vault) throws(StoreError) in
            try vault.change(fresh) { $0.remove(kind, account: account) }
        }
    }

    /// There is no prompt; `timeout` is ignored, since deriving a key takes a third of a second.
    package func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError) {
        guard attempts < Self.attemptLimit else {
            throw StoreError(code: .locked, message: "several passphrases are being tried already", passphrase: .needed)
        }
        attempts += 1
        defer { attempts -= 1 }
        let fresh = freshBytes()
        try await worker.perform { (vault) throws(StoreError) in try vault.unlock(passphrase, fresh) }
    }

    private func freshBytes() -> StoreVault.FreshBytes {
        StoreVault.FreshBytes(entropy.bytes)
    }
}
