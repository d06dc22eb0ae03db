// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// The store's own prompt: one at a time, whoever asks meanwhile shares its end.
@LoopActor final class StorePrompt {
    private let store: ObservedStore
    private var waiters: [CheckedContinuation<Result<Void, StoreError>?, Never>] = []
    private var isUp = false

    init(store: ObservedStore) {
        self.store = store
    }

    /// Asks the user to open the store.
    func unlock(timeout: Duration) async throws(StoreError) {
        while isUp {
            let shared = await withCheckedContinuation { continuation in
                // Looked at in here: on the way to it the prompt may have ended (`Task.onLoop`).
                if isUp { waiters.append(continuation) } else { continuation.resume(returning: nil) }
            }
            if let shared { return try shared.get() }
        }
        isUp = true
        let result: Result<Void, StoreError>
        do throws(StoreError) {
            try await store.unlock(passphrase: nil, timeout: timeout)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        isUp = false
        let shared = waiters
        waiters = []
        for waiter in shared { waiter.resume(returning: result) }
        try result.get()
    }
}
