// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Synchronization

/// A wait that was given up; `what` says for what.
package struct TimedOut: Error, CustomStringConvertible {
    package let what: String

    /// A wait for `what` that took too long.
    package init(_ what: String) { self.what = what }

    package var description: String { "timed out waiting for \(what)" }
}

/// Events that threads report and tests await: each `next` takes the first event that fits and that no earlier
/// `next` took, whether it came already or is still to come.
package final class EventLog<Event: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let fits: @Sendable (Event) -> Bool
        let continuation: CheckedContinuation<Event, any Error>
    }

    private struct State {
        var untaken: [Event] = []
        var all: [Event] = []
        var waiters: [Waiter] = []
        var lastID = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Everything reported so far, taken or not.
    package var all: [Event] { state.withLock { $0.all } }

    /// Reports an event and wakes the first that waits for such a one.
    package func append(_ event: Event) {
        let waiter: Waiter? = state.withLock { state in
            state.all.append(event)
            guard let index = state.waiters.firstIndex(where: { $0.fits(event) }) else {
                state.untaken.append(event)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: event)
    }

    /// Waits for an event that fits; throws `TimedOut` when `limit` is over.
    package func next(
        _ what: String,
        within limit: Duration = .seconds(20),
        where fits: @escaping @Sendable (Event) -> Bool
    ) async throws -> Event {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let deadline = Task {
            try await Task.sleep(for: limit)
            self.giveUp(id, TimedOut(what))
        }
        defer { deadline.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(id, fits, $0) }
        } onCancel: {
            giveUp(id, CancellationError())
        }
    }

    private func wait(
        _ id: Int,
        _ fits: @escaping @Sendable (Event) -> Bool,
        _ continuation: CheckedContinuation<Event, any Error>
    ) {
        let ready: Event? = state.withLock { state in
            if let index = state.untaken.firstIndex(where: fits) { return state.untaken.remove(at: index) }
            state.waiters.append(Waiter(id: id, fits: fits, continuation: continuation))
            return nil
        }
        if let ready { continuation.resume(returning: ready) }
    }

    private func giveUp(_ id: Int, _ error: any Error) {
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: error)
    }
}
