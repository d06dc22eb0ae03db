// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Synchronization

/// The program that holds the items, and the one that answered last; written by the worker, read by the loop.
final class ProviderMemory: Sendable {
    private struct State {
        var holder: String?
        var isNoted: Bool
        var last: KeyringProvider?
    }

    private let state: Mutex<State>

    /// - Parameter holder: the program that held the items according to an earlier process.
    init(holder: String?) {
        state = Mutex(State(holder: holder, isNoted: holder != nil, last: nil))
    }

    /// The program that had one of our items, or that the user unlocked.
    var holder: String? { state.withLock { $0.holder } }

    /// Whether an earlier process recorded it: its successor may have taken over the items since.
    var isNoted: Bool { state.withLock { $0.isNoted } }

    /// The provider that answered last.
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
