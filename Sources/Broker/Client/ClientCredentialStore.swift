// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import Systemd
import TokendProtocol

/// One account's item of kind `client`. It is read for each use, so that no secret stays in memory and changes take
/// effect.
@LoopActor struct ClientCredentialStore {
    let store: any CredentialStore
    /// Serialises changes of the item.
    let mutex: AsyncMutex
    /// The part of the daemon's own settings that decides where a secret may go.
    let wire: DaemonConfiguration.Wire
    /// Remembers what could not be removed.
    let state: any LastingState

    /// The store's record of the account's client; empty if there is none.
    func record(of account: String) async throws(StoreError) -> ClientRecord {
        // Ignores an item that is pending removal for an earlier account of this name.
        guard !state.notes.clientRemovals.contains(account) else { return ClientRecord() }
        guard let item = try await store.item(.client, account: account) else { return ClientRecord() }
        return try ClientRecord.read(item)
    }

    /// Changes the item durably; an unreadable one is overwritten.
    func change(
        _ account: AccountConfiguration,
        _ body: (inout ClientRecord) -> Void
    ) async throws(StoreError) {
        try await mutex.withLock { () async throws(StoreError) in
            var record = ClientRecord()
            do throws(StoreError) {
                record = try await self.record(of: account.name)
            } catch {
                if error.code != .unreadable { throw error }
            }
            let old = record
            body(&record)
            guard record != old || state.notes.clientRemovals.contains(account.name) else { return }
            if record.isEmpty {
                try await store.remove(.client, account: account.name)
            } else {
                try await store.write(record.item(for: account))
            }
            state.change { $0.clientRemovals.remove(account.name) }
        }
    }

    /// Stores what the user gives, for the destination in the account's file.
    func give(
        _ kind: ClientSecretKind,
        _ value: Secret,
        to account: AccountConfiguration
    ) async throws(ProtocolError) {
        let given = ClientRecord.Given(value: value, destination: destination(of: account))
        do {
            try await change(account) { $0[kind] = given }
        } catch {
            throw error.protocolError
        }
    }

    /// Removes the item left by an earlier removal of the account, unless a newer tokend wrote it.
    func finishRemoval(_ account: String) async throws(StoreError) {
        try await mutex.withLock { () async throws(StoreError) in
            guard state.notes.clientRemovals.contains(account) else { return }
            if let item = try await store.item(.client, account: account) { try ClientRecord.refuseNewer(item) }
            try await store.remove(.client, account: account)
            state.change { $0.clientRemovals.remove(account) }
        }
    }

    func destination(of account: AccountConfiguration) -> ClientDestination {
        ClientDestination(account: account, wire: wire)
    }
}
