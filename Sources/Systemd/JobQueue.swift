// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc
import Synchronization

/// The part of a loop that other threads may use: its jobs, C objects to release on it, its thread, and the eventfd
/// that wakes it.
final class JobQueue: Sendable {
    /// A C object whose last Swift owner ended on another thread; libsystemd's objects must be released on the loop's.
    private struct Abandoned: @unchecked Sendable {
        let object: OpaquePointer
        let free: (OpaquePointer) -> OpaquePointer?
    }

    private struct State {
        var jobs: [UnownedJob] = []
        var abandoned: [Abandoned] = []
        /// A wake-up is pending, so no other is needed.
        var isWoken = false
    }

    /// Readable while a wake-up from another thread is pending.
    let wakeDescriptor: Int32
    private let state = Mutex(State())
    /// The loop's thread as `pthread_self()`; 0 while it has none.
    private let owner: Atomic<UInt>

    init(ownedByCurrentThread isOwned: Bool) throws(SystemdError) {
        wakeDescriptor = try SystemdError.checkErrno(
            eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)),
            "make an eventfd"
        )
        owner = Atomic(isOwned ? pthread_self() : 0)
    }

    deinit {
        let left = state.withLock { state in state.abandoned }
        for one in left { _ = one.free(one.object) }
        close(wakeDescriptor)
    }

    /// Whether the caller is on the loop's thread.
    var isOnLoop: Bool { owner.load(ordering: .relaxed) == pthread_self() }

    /// Traps if the caller is not on the loop's thread.
    func preconditionOnLoop() {
        precondition(isOnLoop, "This runs on the event loop's thread only.")
    }

    /// Makes the current thread the loop's; false if it already has another.
    func adoptCurrentThread() -> Bool {
        let (exchanged, owner) = owner.compareExchange(
            expected: 0,
            desired: pthread_self(),
            ordering: .acquiringAndReleasing
        )
        return exchanged || owner == pthread_self()
    }

    /// Adds a job; true if the caller must wake the loop.
    func append(_ job: UnownedJob) -> Bool {
        state.withLock { state in
            state.jobs.append(job)
            defer { state.isWoken = true }
            return !state.isWoken
        }
    }

    /// Whether no job is waiting.
    var isEmpty: Bool { state.withLock { state in state.jobs.isEmpty } }

    /// Takes all waiting jobs; `batch` must be empty and lends its storage.
    func take(into batch: inout [UnownedJob]) {
        let abandoned = state.withLock { state in
            swap(&state.jobs, &batch)
            state.isWoken = false
            return state.abandoned.isEmpty ? [] : exchange(&state.abandoned, with: [])
        }
        for one in abandoned { _ = one.free(one.object) }
    }

    /// Releases a C object of the loop: at once on its thread, else in its next round.
    func release(_ object: OpaquePointer, with free: @escaping (OpaquePointer) -> OpaquePointer?) {
        guard !isOnLoop else {
            _ = free(object)
            return
        }
        let one = Abandoned(object: object, free: free)
        let mustWake = state.withLock { state in
            state.abandoned.append(one)
            defer { state.isWoken = true }
            return !state.isWoken
        }
        if mustWake { wake() }
    }

    /// Wakes the loop from any thread.
    func wake() {
        eventfd_write(wakeDescriptor, 1)
    }

    /// Clears the wake-up from the eventfd.
    func clearWake() {
        var count: eventfd_t = 0
        eventfd_read(wakeDescriptor, &count)
    }
}
