// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Secrets

/// Keeps grants in memory alone: for `store: "memory"`, where nothing shall outlive the daemon.
final class MemoryStore: CredentialStore {
    private var kept: [String: StoredItem] = [:]

    let kind = "memory"

    func items() async throws(StoreError) -> [StoredItem] {
        Array(kept.values)
    }

    func item(account: String) async throws(StoreError) -> StoredItem? {
        kept[account]
    }

    func write(_ item: StoredItem) async throws(StoreError) {
        kept[item.account] = item
    }

    func remove(account: String) async throws(StoreError) {
        kept[account] = nil
    }

    func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError) {
        guard passphrase == nil else {
            throw StoreError(code: .passphraseUnwanted, message: "a store in memory has no passphrase")
        }
    }
}
