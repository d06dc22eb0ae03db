// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// A first-in-first-out mutex over `await`, for writes of an account's item: by a refresh, which checks first whether it
/// is still wanted, or by a login until its grant is in force. Without it, an earlier refresh could write the old grant
/// over the new one.
@LoopActor final class ItemTurn {
    private(set) var isTaken = false
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// Waits for the turn, in the order of the calls.
    func take() async {
        await withUnsafeContinuation { continuation in
            // Looked at in here: on the way to it others may run (`Task.onLoop`).
            guard isTaken else {
                isTaken = true
                return continuation.resume()
            }
            waiting.append(continuation)
        }
    }

    /// Hands the turn on.
    func give() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        isTaken = false
    }
}
