// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Lets a few in at a time; the others wait for their turn, first come, first served.
actor Turnstile {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter width: how many are let in at a time.
    init(width: Int) {
        free = width
    }

    /// Runs `body` in its turn.
    func pass(_ body: @concurrent @Sendable () async throws -> Void) async rethrows {
        await enter()
        defer { leave() }
        try await body()
    }

    private func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
