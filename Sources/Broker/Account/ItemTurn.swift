// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Whose turn it is to write an account's item: a refresh from its reading to its writing, or a login that stores its
/// grant. Without turns, a refresh that was sent before could write the old grant over the new one.
@LoopActor final class ItemTurn {
    private var isTaken = false
    private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// Waits for the turn; whoever was first gets it first.
    func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withUnsafeContinuation { waiting.append($0) }
    }

    /// Hands the turn on.
    func give() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        isTaken = false
    }
}
