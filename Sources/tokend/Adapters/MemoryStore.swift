// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Secrets

/// Keeps items in memory alone: for `store: "memory"`, where nothing must outlive the daemon.
final class MemoryStore: CredentialStore {
    private struct Place: Hashable {
        let kind: StoredItem.Kind
        let account: String
    }

    private var kept: [Place: StoredItem] = [:]

    let kind = "memory"

    func items() async throws(StoreError) -> [StoredItem] {
        Array(kept.values)
    }

    func item(_ kind: StoredItem.Kind, account: String) async throws(StoreError) -> StoredItem? {
        kept[Place(kind: kind, account: account)]
    }

    func write(_ item: StoredItem) async throws(StoreError) {
        kept[Place(kind: item.kind, account: item.account)] = item
    }

    func remove(_ kind: StoredItem.Kind, account: String) async throws(StoreError) {
        kept[Place(kind: kind, account: account)] = nil
    }

    func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError) {
        guard passphrase == nil else {
            throw StoreError(code: .passphraseUnwanted, message: "a store in memory has no passphrase")
        }
    }
}
