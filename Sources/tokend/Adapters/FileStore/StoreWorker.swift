// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Synchronization
import Systemd

/// The thread of the vault: deriving a key takes a third of a second, and a disk may take longer.
///
/// Work is done in order. The thread is not joined; it ends after the last work once this object is gone.
final class StoreWorker: Sendable {
    typealias Work = @Sendable (StoreVault) -> Void

    /// State shared between the thread and its callers.
    private final class Desk: Sendable {
        struct State {
            var queue: [Work] = []
            var isClosed = false
        }

        let state = Mutex(State())
        let bell = Bell()

        /// Waits for the next work; nil at the end.
        func take() -> Work? {
            while true {
                let (work, isClosed) = state.withLock { state in
                    (state.queue.isEmpty ? nil : state.queue.removeFirst(), state.isClosed)
                }
                if work != nil || isClosed { return work }
                bell.wait()
            }
        }
    }

    private final class Start: Sendable {
        let desk: Desk
        let makeVault: @Sendable () -> StoreVault

        init(_ desk: Desk, _ makeVault: @escaping @Sendable () -> StoreVault) {
            self.desk = desk
            self.makeVault = makeVault
        }

        func run() {
            // The loop handles signals.
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            let vault = makeVault()
            while let work = desk.take() { work(vault) }
        }
    }

    private let desk = Desk()

    /// - Parameter makeVault: called on the thread.
    init(vault makeVault: @escaping @Sendable () -> StoreVault) {
        let start = Unmanaged.passRetained(Start(desk, makeVault)).toOpaque()
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            nil,
            { start in
                guard let start else { return nil }
                Unmanaged<Start>.fromOpaque(start).takeRetainedValue().run()
                return nil
            },
            start
        )
        precondition(code == 0, "no thread can be started: \(String(cString: strerror(code)))")
        pthread_detach(thread)
    }

    deinit {
        desk.state.withLock { $0.isClosed = true }
        desk.bell.ring()
    }

    /// Runs `work` on the thread and waits for its end.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (StoreVault) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            desk.state.withLock { state in
                state.queue.append { vault in
                    continuation.resume(returning: Result { () throws(StoreError) in try work(vault) })
                }
            }
            desk.bell.ring()
        }
        return try result.get()
    }
}
