// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import Systemd

/// The secret store, with the state that its last answer showed.
///
/// `state` remembers the last answer without a new call, so `status` touches no keyring that may prompt or hang. An
/// unreadable item counts as an open store; an unwanted passphrase says nothing. `onOpened` is called when a call
/// succeeds after the store was locked or unavailable, before the caller has its result; it retries pending work. This
/// works only while every call goes through this object: a call to the inner store would make `state` wrong, and a
/// refused record would wait for its timer.
@LoopActor package final class ObservedStore: CredentialStore {
    /// As in `status`.
    package enum State: String, Sendable {
        case ready
        case locked
        case unavailable
        /// Not used yet.
        case unknown
    }

    package private(set) var state = State.unknown
    /// Why it is locked or unavailable; nil where it is neither.
    package private(set) var fault: StoreError?
    /// Called when the store has become unavailable.
    package var onShut: (@LoopActor () -> Void)?
    /// Called when the store is open again after a failure.
    package var onOpened: (@LoopActor () -> Void)?
    private let store: any CredentialStore
    /// It has refused a change, and since then it has neither taken one nor refused to be read.
    private var refusesChanges = false

    package init(_ store: any CredentialStore) {
        self.store = store
    }

    package var kind: String { store.kind }
    package var program: String? { store.program }

    package func items() async throws(StoreError) -> [StoredItem] {
        try await observe { () throws(StoreError) in try await store.items() }
    }

    package func item(_ kind: StoredItem.Kind, account: String) async throws(StoreError) -> StoredItem? {
        try await observe { () throws(StoreError) in try await store.item(kind, account: account) }
    }

    package func write(_ item: StoredItem) async throws(StoreError) {
        try await observe(isChange: true) { () throws(StoreError) in try await store.write(item) }
    }

    package func remove(_ kind: StoredItem.Kind, account: String) async throws(StoreError) {
        try await observe(isChange: true) { () throws(StoreError) in try await store.remove(kind, account: account) }
    }

    package func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError) {
        refusesChanges = false
        try await observe { () throws(StoreError) in
            try await store.unlock(passphrase: passphrase, timeout: timeout)
        }
    }

    private func observe<Value: Sendable>(
        isChange: Bool = false,
        _ call: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        do {
            let value = try await call()
            if isChange { refusesChanges = false }
            // A full store can still be read: every account that it refused would try again at once, in a loop.
            guard !refusesChanges else { return value }
            let wasShut = state == .locked || state == .unavailable
            state = .ready
            fault = nil
            if wasShut { onOpened?() }
            return value
        } catch {
            if error.code != .passphraseUnwanted { refusesChanges = isChange && error.code == .unavailable }
            note(error)
            throw error
        }
    }

    private func note(_ error: StoreError) {
        let before = state
        switch error.code {
        case .locked, .dismissed: (state, fault) = (.locked, error)
        case .unavailable, .frozen: (state, fault) = (.unavailable, error)
        case .unreadable, .newer: (state, fault) = (.ready, nil)
        case .passphraseUnwanted: break
        }
        if state == .unavailable, before != .unavailable { onShut?() }
    }
}
