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
    private let state: any LastingState

    /// - Parameters:
    ///   - lock: held as long as the store is used.
    ///   - state: records which program holds the items.
    init(lock: consuming InstanceLock, state: any LastingState) {
        keyring = Keyring(holder: state.notes.keyring, common: Self.ours)
        self.lock = lock
        self.state = state
    }

    let kind = "secret-service"
    var program: String? { keyring.lastProvider?.name }

    private static let ours = ["application": "tokend"]

    private static func attributes(_ kind: StoredItem.Kind, of account: String) -> [String: String] {
        ["application": "tokend", "kind": kind.rawValue, "account": account]
    }

    func items() async throws(StoreError) -> [StoredItem] {
        do {
            let items = try await keyring.items(matching: Self.ours)
            noteHolder(keyring.holder, ifAny: items)
            return items.compactMap(StoredItem.init)
        } catch {
            throw StoreError(error)
        }
    }

    func item(_ kind: StoredItem.Kind, account: String) async throws(StoreError) -> StoredItem? {
        do {
            let items = try await keyring.items(matching: Self.attributes(kind, of: account))
            if !items.isEmpty { noteHolder(keyring.holder) }
            return items.first.flatMap(StoredItem.init)
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
            // An item of the same account with another issuer or client would remain beside the new one.
            let others = try await keyring.items(matching: place)
                .filter { $0.attributes["issuer"] != item.issuer || $0.attributes["client_id"] != item.clientID }
            try await keyring.store(KeyringItem(attributes: attributes, label: item.label, secret: item.secret))
            for other in others {
                try await keyring.remove(matching: other.attributes.filter { $0.key != "xdg:schema" })
            }
            noteHolder(keyring.holder)
        } catch {
            throw StoreError(error)
        }
    }

    func remove(_ kind: StoredItem.Kind, account: String) async throws(StoreError) {
        do {
            guard try await keyring.remove(matching: Self.attributes(kind, of: account)) > 0 else { return }
            if let rest = try? await keyring.items(matching: Self.ours) { noteHolder(keyring.holder, ifAny: rest) }
        } catch {
            throw StoreError(error)
        }
    }

    /// Records which program has the items, so that a later daemon does not trust another one without any.
    private func noteHolder(_ holder: String?, ifAny items: [KeyringItem]? = nil) {
        let new = items?.isEmpty == true ? nil : holder
        if state.notes.keyring != new { state.change { $0.keyring = new } }
    }

    func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError) {
        guard passphrase == nil else {
            throw StoreError(code: .passphraseUnwanted, message: "the keyring asks for its password itself")
        }
        do {
            try await keyring.unlock(matching: Self.ours, timeout: timeout)
            if let items = try? await keyring.items(matching: Self.ours) { noteHolder(keyring.holder, ifAny: items) }
        } catch {
            throw StoreError(error)
        }
    }
}

extension StoredItem {
    /// nil for an item without an account, or of a later version's kind.
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
            case .timedOut: .frozen
            case .unavailable, .failed: .unavailable
            }
        self.init(code: code, message: error.message, provider: error.provider)
    }
}
