// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Synchronization

/// Which program holds the items, and which answered last; the worker knows, the loop asks.
final class ProviderMemory: Sendable {
    private struct State {
        var holder: String?
        var isNoted: Bool
        var last: KeyringProvider?
    }

    private let state: Mutex<State>

    /// - Parameter holder: the program that held the items in an earlier process's time.
    init(holder: String?) {
        state = Mutex(State(holder: holder, isNoted: holder != nil, last: nil))
    }

    /// The program that had an item of ours, or that the user unlocked.
    var holder: String? { state.withLock { $0.holder } }

    /// Whether an earlier process has told of that: its successor may have come by the items meanwhile.
    var isNoted: Bool { state.withLock { $0.isNoted } }

    /// Who answered last.
    var last: KeyringProvider? { state.withLock { $0.last } }

    /// From now on, this provider's program is the one that holds the items.
    func trust(_ provider: KeyringProvider) {
        state.withLock { state in
            state.holder = provider.program
            state.isNoted = false
        }
    }

    func saw(_ provider: KeyringProvider) {
        state.withLock { $0.last = provider }
    }
}
