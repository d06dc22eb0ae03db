// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// The two mutexes of an account's grant. The token's is taken before the item's, never while the item's is held: that
/// would be a deadlock.
@LoopActor final class GrantLocks {
    private let item = AsyncMutex()
    private let token = AsyncMutex()

    /// Whether the item is being changed.
    var isItemHeld: Bool { item.isLocked }

    /// Runs `body` as the only one that changes the item, from reading the record in force to the store's answer: a
    /// writer without the lock may put an old record over a newer one.
    func withItem<Value, Failure: Error>(
        _ body: @LoopActor () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await item.withLock(body)
    }

    /// Runs `body` as the only one that uses the refresh token: a whole refresh, or a login that stores the held token
    /// again.
    func withToken<Value, Failure: Error>(
        _ body: @LoopActor () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await token.withLock(body)
    }
}
