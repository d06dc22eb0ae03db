// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Synchronization

/// One request to the worker and its answer. It is answered once, by the first of these: the worker, the deadline, or a
/// prompt that it must not wait for.
final class KeyringRequest: Sendable {
    /// Ends the worker's wait for this request.
    let cancellation = Cancellation()
    /// Whether it stays in the queue while a prompt is shown.
    let waitsForPrompts: Bool

    private let isAnswered: @Sendable () -> Bool
    private let answerFailure: @Sendable (KeyringError) -> Void
    private let perform: @Sendable (StoreSession, Cancellation) -> Void

    /// - Parameter work: runs on the worker's thread.
    init<Value: Sendable>(
        waitsForPrompts: Bool,
        answer continuation: CheckedContinuation<Result<Value, KeyringError>, Never>,
        work: @escaping @Sendable (StoreSession, Cancellation) throws(KeyringError) -> Value
    ) {
        let reply = Reply(continuation)
        self.waitsForPrompts = waitsForPrompts
        isAnswered = { reply.isSent }
        answerFailure = { reply.send(.failure($0)) }
        perform = { session, cancellation in
            reply.send(Result { () throws(KeyringError) in try work(session, cancellation) })
        }
    }

    /// Answers with a failure, unless it is already answered.
    func fail(_ error: KeyringError) {
        answerFailure(error)
    }

    /// Does the work on the worker's thread, unless it is already answered.
    func run(in session: StoreSession) {
        guard !isAnswered() else { return }
        perform(session, cancellation)
    }
}

/// Holds the awaiting task until it is answered.
private final class Reply<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Result<Value, KeyringError>, Never>?>

    init(_ continuation: CheckedContinuation<Result<Value, KeyringError>, Never>) {
        self.continuation = Mutex(continuation)
    }

    var isSent: Bool { continuation.withLock { $0 == nil } }

    func send(_ result: Result<Value, KeyringError>) {
        continuation.withLock { $0.take() }?.resume(returning: result)
    }
}
