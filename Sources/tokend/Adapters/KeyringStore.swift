// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Keyring
import Secrets
import Systemd

/// Grants and clients' secrets in the desktop's secret store: one item each, found by its attributes.
final class KeyringStore: CredentialStore {
    private let keyring: Keyring
    private let lock: InstanceLock

    /// - Parameter lock: held as long as the store is used.
    init(keyring: Keyring, lock: consuming InstanceLock) {
        self.keyring = keyring
        self.lock = lock
    }

    let kind = "secret-service"

    private static let ours = ["application": "tokend"]

    private static func attributes(_ kind: StoredItem.Kind, of account: String) -> [String: String] {
        ["application": "tokend", "kind": kind.rawValue, "account": account]
    }

    func items() async throws(StoreError) -> [StoredItem] {
        do {
            return try await keyring.items(matching: Self.ours).compactMap(StoredItem.init)
        } catch {
            throw StoreError(error)
        }
    }

    func item(_ kind: StoredItem.Kind, account: String) async throws(StoreError) -> StoredItem? {
        do {
            return try await keyring.items(matching: Self.attributes(kind, of: account)).first.flatMap(StoredItem.init)
        } catch {
            throw StoreError(error)
        }
    }

    func write(_ item: StoredItem) async throws(StoreError) {
        let place = Self.attributes(item.kind, of: item.account)
        var attributes = place
        attributes["issuer"] = item.issuer
        attributes["client_id"] = item.clientID
        do {
            // An item of the same account with another issuer or client would stay beside the new one.
            let others = try await keyring.items(matching: place)
                .filter { $0.attributes["issuer"] != item.issuer || $0.attributes["client_id"] != item.clientID }
            try await keyring.store(KeyringItem(attributes: attributes, label: item.label, secret: item.secret))
            for other in others {
                try await keyring.remove(matching: other.attributes.filter { $0.key != "xdg:schema" })
            }
        } catch {
            throw StoreError(error)
        }
    }

    func remove(_ kind: StoredItem.Kind, account: String) async throws(StoreError) {
        do {
            try await keyring.remove(matching: Self.attributes(kind, of: account))
        } catch {
            throw StoreError(error)
        }
    }

    func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError) {
        guard passphrase == nil else {
            throw StoreError(code: .passphraseUnwanted, message: "the keyring asks for its password itself")
        }
        do {
            try await keyring.unlock(matching: Self.ours, timeout: timeout)
        } catch {
            throw StoreError(error)
        }
    }
}

extension StoredItem {
    /// nil for an item that names no account, or is of a kind of a later version.
    fileprivate init?(_ item: KeyringItem) {
        guard let account = item.attributes["account"],
            let kind = item.attributes["kind"].flatMap(Kind.init(rawValue:))
        else { return nil }
        self.init(
            kind: kind,
            account: account,
            issuer: item.attributes["issuer"] ?? "",
            clientID: item.attributes["client_id"] ?? "",
            label: item.label,
            secret: item.secret
        )
    }
}

extension StoreError {
    fileprivate init(_ error: KeyringError) {
        let code: Code =
            switch error.code {
            case .locked: .locked
            case .dismissed: .dismissed
            case .unavailable, .timedOut, .failed: .unavailable
            }
        self.init(code: code, message: error.message)
    }
}
