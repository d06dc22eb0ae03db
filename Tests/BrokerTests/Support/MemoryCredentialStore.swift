// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import Systemd

@testable import Broker

/// A secret store in memory whose faults a test sets; it outlives a restart of the broker.
@LoopActor final class MemoryCredentialStore: CredentialStore {
    enum Operation: Hashable {
        case read, write, remove, unlock
    }

    let kind = "memory"
    /// The grants, by account.
    private(set) var kept: [String: StoredItem] = [:]
    /// The clients' items, by account.
    private(set) var clients: [String: StoredItem] = [:]
    /// Grants whose revocation is pending, by account.
    private(set) var revocations: [String: StoredItem] = [:]
    /// Every item that was written, in order.
    private(set) var written: [StoredItem] = []
    /// Calls that came, whatever became of them.
    private(set) var calls: [Operation: Int] = [:]
    /// What every call is refused with.
    var fault: StoreError?
    /// What the next calls of one kind are refused with, one each.
    var faults: [Operation: [StoreError]] = [:]
    /// Calls of these kinds wait until `release()`, or for ever: that is where a crash comes.
    var held: Set<Operation> = []
    /// What a user does when asked to unlock: nil opens the store.
    var unlockFault: StoreError?
    /// What came with each call of `unlock`.
    private(set) var passphrases: [Secret?] = []
    private var waiting: [UnsafeContinuation<Void, Never>] = []
    private var watchers: [UnsafeContinuation<Void, Never>] = []

    nonisolated static let locked = StoreError(code: .locked, message: "the secret store is locked")
    nonisolated static let unavailable = StoreError(code: .unavailable, message: "the secret store does not answer")

    var writeCount: Int { calls[.write, default: 0] }

    /// The member of an account's item.
    func member(_ name: String, of account: String = "work") -> JSONValue? {
        object(of: account)?[name]
    }

    /// An account's item as JSON.
    func object(of account: String = "work") -> JSONObject? {
        kept[account].flatMap { Self.object(of: $0) }
    }

    static func object(of item: StoredItem) -> JSONObject? {
        item.secret.withUnsafeBytes { try? JSONReader().read($0) }?.object
    }

    /// Puts an item there behind the broker's back.
    func put(_ item: StoredItem) {
        switch item.kind {
        case .grant: kept[item.account] = item
        case .client: clients[item.account] = item
        case .revocation: revocations[item.account] = item
        }
    }

    /// Takes an item away behind the broker's back.
    func take(_ account: String) {
        kept[account] = nil
    }

    /// Lets the calls go on that were held.
    func release() {
        held = []
        let released = waiting
        waiting = []
        for continuation in released { continuation.resume() }
    }

    /// Waits until a call has come that is held, or the test's time is up.
    func holding() async {
        guard waiting.isEmpty else { return }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { watchers.append($0) }
        } onCancel: {
            Task { @LoopActor in wakeWatchers() }
        }
    }

    /// The process is gone: the calls that were held never happen.
    func forgetWaiting() {
        held = []
        waiting = []
    }

    func items() async throws(StoreError) -> [StoredItem] {
        try await pass(.read)
        return Array(kept.values) + Array(clients.values) + Array(revocations.values)
    }

    func item(_ kind: StoredItem.Kind, account: String) async throws(StoreError) -> StoredItem? {
        try await pass(.read)
        switch kind {
        case .grant: return kept[account]
        case .client: return clients[account]
        case .revocation: return revocations[account]
        }
    }

    func write(_ item: StoredItem) async throws(StoreError) {
        try await pass(.write)
        put(item)
        written.append(item)
    }

    func remove(_ kind: StoredItem.Kind, account: String) async throws(StoreError) {
        try await pass(.remove)
        switch kind {
        case .grant: kept[account] = nil
        case .client: clients[account] = nil
        case .revocation: revocations[account] = nil
        }
    }

    func unlock(passphrase: Secret?, timeout: Duration) async throws(StoreError) {
        calls[.unlock, default: 0] += 1
        passphrases.append(passphrase)
        if held.contains(.unlock) { await wait(.unlock) }
        if let unlockFault { throw unlockFault }
        fault = nil
    }

    private func wait(_ operation: Operation) async {
        await withUnsafeContinuation { continuation in
            // A release may have come between the look and this.
            guard held.contains(operation) else { return continuation.resume() }
            waiting.append(continuation)
            wakeWatchers()
        }
    }

    private func wakeWatchers() {
        let watching = watchers
        watchers = []
        for watcher in watching { watcher.resume() }
    }

    private func pass(_ operation: Operation) async throws(StoreError) {
        calls[operation, default: 0] += 1
        if held.contains(operation) { await wait(operation) }
        if let fault { throw fault }
        guard var queue = faults[operation], !queue.isEmpty else { return }
        let next = queue.removeFirst()
        faults[operation] = queue
        throw next
    }
}
