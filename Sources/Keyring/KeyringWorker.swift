// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret
import Glibc

/// The one thread that calls libsecret, with its queue.
///
/// The thread is never joined, by the loop or at exit. It ends after the last request once this object is gone.
final class KeyringWorker: Sendable {
    private let desk = WorkerDesk()

    /// - Parameter session: makes the thread's session; called on the thread.
    init(session makeSession: @escaping @Sendable (WorkerDesk) -> StoreSession) {
        let start = Unmanaged.passRetained(WorkerStart(desk: desk, makeSession: makeSession)).toOpaque()
        let thread = g_thread_new(
            "keyring",
            { start in
                guard let start else { return nil }
                Unmanaged<WorkerStart>.fromOpaque(start).takeRetainedValue().run()
                return nil
            },
            start
        )
        g_thread_unref(thread)
    }

    deinit {
        desk.close()
    }

    /// Hands a request over; returns at once.
    func enqueue(_ request: KeyringRequest) {
        desk.put(request)
    }

    /// Ends the thread's wait for a request that is already answered.
    func cancel(_ request: KeyringRequest) {
        request.cancellation.cancel()
        desk.endPrompting(for: request)
    }
}

/// The thread's argument.
private final class WorkerStart {
    private let desk: WorkerDesk
    private let makeSession: @Sendable (WorkerDesk) -> StoreSession

    init(desk: WorkerDesk, makeSession: @escaping @Sendable (WorkerDesk) -> StoreSession) {
        self.desk = desk
        self.makeSession = makeSession
    }

    func run() {
        // The loop handles signals; GDBus's own thread inherits this mask.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // GLib's events for this thread go to a separate context, emptied after every request.
        let context = g_main_context_new()
        g_main_context_push_thread_default(context)
        serve(context)
        g_main_context_pop_thread_default(context)
        g_main_context_unref(context)
    }

    private func serve(_ context: OpaquePointer?) {
        let session = makeSession(desk)
        while let request = desk.take() {
            request.run(in: session)
            desk.finish()
            while g_main_context_iteration(context, 0) != 0 {}
        }
    }
}
