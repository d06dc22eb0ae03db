// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// A first-in-first-out mutex that may be held across `await`, for work that waits for the store or for the provider.
///
/// It is not recursive: taking it twice deadlocks.
@LoopActor final class AsyncMutex {
    private(set) var isLocked = false
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// Runs `body` while nothing else holds the mutex, in the order of the calls.
    func withLock<Value, Failure: Error>(
        _ body: @LoopActor () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await lock()
        defer { unlock() }
        return try await body()
    }

    private func lock() async {
        await withUnsafeContinuation { continuation in
            // Checked in here: other tasks may run on the way (`Task.onLoop`).
            guard isLocked else {
                isLocked = true
                return continuation.resume()
            }
            waiting.append(continuation)
        }
    }

    private func unlock() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        isLocked = false
    }
}
