// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Keyring
import Secrets
import Systemd

/// Grants in the desktop's secret store: one item a grant, found by its attributes.
final class KeyringStore: CredentialStore {
    private let keyring: Keyring
    private let lock: InstanceLock

    /// - Parameter lock: held as long as the store is used.
    init(keyring: Keyring, lock: consuming InstanceLock) {
        self.keyring = keyring
        self.lock = lock
    }

    let kind = "secret-service"

    private static let grants = ["application": "tokend", "kind": "grant"]

    private static func grant(of account: String) -> [String: String] {
        ["application": "tokend", "kind": "grant", "account": account]
    }

    func items() async throws(StoreError) -> [StoredItem] {
        do {
            return try await keyring.items(matching: Self.grants).compactMap(StoredItem.init)
        } catch {
            throw StoreError(error)
        }
    }

    func item(account: String) async throws(StoreError) -> StoredItem? {
        do {
            return try await keyring.items(matching: Self.grant(of: account)).first.flatMap(StoredItem.init)
        } catch {
            throw StoreError(error)
        }
    }

    func write(_ item: StoredItem) async throws(StoreError) {
        var attributes = Self.grant(of: item.account)
        attributes["issuer"] = item.issuer
        attributes["client_id"] = item.clientID
        do {
            // An item of the same account with another issuer or client would stay beside the new one.
            let others = try await keyring.items(matching: Self.grant(of: item.account))
                .filter { $0.attributes["issuer"] != item.issuer || $0.attributes["client_id"] != item.clientID }
            try await keyring.store(KeyringItem(attributes: attributes, label: item.label, secret: item.secret))
            for other in others {
                try await keyring.remove(matching: other.attributes.filter { $0.key != "xdg:schema" })
            }
        } catch {
            throw StoreError(error)
        }
    }

    func remove(account: String) async throws(StoreError) {
        do {
            try await keyring.remove(matching: Self.grant(of: account))
        } catch {
            throw StoreError(error)
        }
    }

    func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError) {
        guard passphrase == nil else {
            throw StoreError(code: .passphraseUnwanted, message: "the keyring asks for its password itself")
        }
        do {
            try await keyring.unlock(matching: Self.grants, timeout: timeout)
        } catch {
            throw StoreError(error)
        }
    }
}

extension StoredItem {
    /// nil for an item that names no account.
    fileprivate init?(_ item: KeyringItem) {
        guard let account = item.attributes["account"] else { return nil }
        self.init(
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
