// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Synchronization
import Systemd

/// State shared by the loop and the worker: the queue, and the current request.
final class WorkerDesk: Sendable {
    private struct State {
        var queue: [KeyringRequest] = []
        var current: KeyringRequest?
        var isPrompting = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let bell = Bell()

    /// Queues a request, or refuses it if it would have to wait for a user.
    func put(_ request: KeyringRequest) {
        let isRefused = state.withLock { state in
            if state.isPrompting && !request.waitsForPrompts { return true }
            state.queue.append(request)
            return false
        }
        if isRefused {
            request.fail(Self.refusal)
        } else {
            bell.ring()
        }
    }

    /// Waits for the next request; nil at the end.
    func take() -> KeyringRequest? {
        while true {
            let (request, isClosed) = state.withLock { state in
                state.current = state.queue.isEmpty ? nil : state.queue.removeFirst()
                return (state.current, state.isClosed)
            }
            if request != nil || isClosed { return request }
            bell.wait()
        }
    }

    /// The current request is done.
    func finish() {
        state.withLock { $0.current = nil }
    }

    /// Ends the worker's thread after the queued requests.
    func close() {
        state.withLock { $0.isClosed = true }
        bell.ring()
    }

    /// This request no longer waits for a user's answer, whatever the worker does with the prompt.
    func endPrompting(for request: KeyringRequest) {
        state.withLock { state in
            if state.current === request { state.isPrompting = false }
        }
    }

    /// For a call that may wait for a user: requests that must not wait for one are refused as locked.
    func prompting<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        let refused = state.withLock { state in
            state.isPrompting = true
            let refused = state.queue.filter { !$0.waitsForPrompts }
            state.queue.removeAll { !$0.waitsForPrompts }
            return refused
        }
        refused.forEach { $0.fail(Self.refusal) }
        defer { state.withLock { $0.isPrompting = false } }
        return try body()
    }

    private static var refusal: KeyringError {
        KeyringError(
            code: .locked,
            message: "the keyring is locked, and its password is being asked for: answer the prompt"
        )
    }
}
