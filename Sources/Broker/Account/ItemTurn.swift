// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Whose turn it is to write an account's item: a refresh, which looks first whether it is still wanted, or a login
/// until its grant is in force. Without turns, a refresh that was sent before could write the old grant over the new one.
@LoopActor final class ItemTurn {
    private(set) var isTaken = false
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// Waits for the turn; whoever was first gets it first.
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
