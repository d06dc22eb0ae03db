// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// The loop: sd-event on one thread, and the executor of everything isolated to that thread.
///
/// It sleeps while there is nothing to do. Its sources (descriptors, timers, signals, …) and its jobs run on its
/// thread, one after another, sources by priority. Only `enqueue` and the end of a source may happen on other threads.
///
/// `EventLoop.main` is the daemon's, behind `LoopActor`; a test may create a loop of its own, on its own thread.
// The sd_event pointer and the batch are touched on the loop's thread only; everything else is Sendable.
package final class EventLoop: @unchecked Sendable {
    /// The daemon's loop, which `LoopActor` runs on. It gets its thread by `adoptCurrentThread()` or `run()`.
    package static let main = makeMain()

    let event: OpaquePointer
    let queue: JobQueue
    /// Jobs that are being run; kept to reuse its storage.
    private var batch: [UnownedJob] = []
    /// The number of them that have not begun.
    private var leftInBatch = 0
    /// Fires when another thread has added a job.
    private var remoteWake: EventSource?
    /// Fires in the next round when the loop's own thread has added a job: costs no system call.
    private var localWake: EventSource?

    /// Creates a loop on the current thread.
    package convenience init() throws(SystemdError) {
        try self.init(ownedByCurrentThread: true)
    }

    private init(ownedByCurrentThread isOwned: Bool) throws(SystemdError) {
        var event: OpaquePointer?
        queue = try JobQueue(ownedByCurrentThread: isOwned)
        try SystemdError.check(sd_event_new(&event), "make an event loop")
        guard let event else { throw SystemdError(code: ENOMEM, operation: "make an event loop") }
        self.event = event
        if isOwned { try prepare() }
    }

    deinit {
        sd_event_unref(event)
    }

    private static func makeMain() -> EventLoop {
        do {
            return try EventLoop(ownedByCurrentThread: false)
        } catch {
            fatalError(error.message)
        }
    }

    /// Makes the current thread the loop's, so that sources can be added before `run()`.
    /// - Throws: `EBUSY` if it belongs to another thread.
    package func adoptCurrentThread() throws(SystemdError) {
        guard queue.adoptCurrentThread() else {
            throw SystemdError(code: EBUSY, operation: "take over an event loop of another thread")
        }
        try prepare()
    }

    /// Serves sources and jobs until `exit(code:)`, whose code it returns.
    /// - Throws: `EBUSY` if the loop belongs to another thread; errors that stop epoll itself.
    package func run() throws(SystemdError) -> Int32 {
        try adoptCurrentThread()
        return try SystemdError.check(sd_event_loop(event), "run the event loop")
    }

    /// Ends the loop after the running handler; exit sources still run. Loop's thread only.
    package func exit(code: Int32 = 0) {
        preconditionOnLoop()
        precondition(code >= 0, "An exit code is not negative.")
        sd_event_exit(event, code)
    }

    /// Whether the caller runs on the loop's thread.
    package var isOnLoop: Bool { queue.isOnLoop }

    /// Whether the current job is the loop's only one. Loop's thread only.
    var hasNoOtherJob: Bool { leftInBatch == 0 && queue.isEmpty }

    /// Traps if the caller is not on the loop's thread.
    package func preconditionOnLoop() {
        queue.preconditionOnLoop()
    }

    /// The current time on the boot-time clock. From any thread.
    package var bootTime: BootInstant { .now }

    /// Lets the loop itself feed the service manager's watchdog, at half its time or earlier, as long as it runs.
    /// - Returns: whether the service manager requested it (`WATCHDOG_USEC`).
    package func enableWatchdog() throws(SystemdError) -> Bool {
        preconditionOnLoop()
        return try SystemdError.check(sd_event_set_watchdog(event, 1), "feed the watchdog") > 0
    }

    /// Adds the two sources for jobs, and the boot clock's timerfd, so that no timer can fail later.
    private func prepare() throws(SystemdError) {
        guard remoteWake == nil else { return }
        remoteWake = try addDescriptor(queue.wakeDescriptor, events: .readable) { [unowned self] _ in
            queue.clearWake()
            runJobs()
        }
        localWake = try EventSource.make(on: queue, "add a deferred source", priority: .normal) { [unowned self] () in
            runJobs()
        } add: {
            sd_event_add_defer(event, &$0, { EventHandler<Void>.call($1, ()) }, $1)
        }
        // A wake-up may have been requested before the loop had a thread; the eventfd holds it.
        localWake?.disarm()
        try EventSource.make(on: queue, "add a timer", priority: .normal, handler: { () in }) {
            sd_event_add_time(event, &$0, CLOCK_BOOTTIME, .max, 1, { EventHandler<Void>.call($2, ()) }, $1)
        }.cancel()
    }

    /// Runs every job that waits, and those that they bring, without a look at any source: for a simulation, whose world
    /// has none. Loop's thread only.
    package func runAllJobs() {
        preconditionOnLoop()
        while !queue.isEmpty { runJobs() }
    }

    private func runJobs() {
        queue.take(into: &batch)
        leftInBatch = batch.count
        for job in batch {
            leftInBatch -= 1
            // Right for both kinds: `runSynchronously(isolatedTo:taskExecutor:)` would set a preference for tasks that
            // have none, whose return to the pool is then lost (Swift 6.3.1).
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
        batch.removeAll(keepingCapacity: true)
    }
}

/// As a serial executor it runs what is isolated to its thread, as a task executor the rest of a task that prefers it.
extension EventLoop: SerialExecutor, TaskExecutor {
    /// Takes a job from any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        guard queue.append(UnownedJob(job)) else { return }
        if queue.isOnLoop, let localWake {
            localWake.rearm()
        } else {
            queue.wake()
        }
    }

    /// Traps if the caller is not on the loop's thread: for `assumeIsolated` and similar functions.
    package func checkIsolated() {
        preconditionOnLoop()
    }

    /// Whether the caller is on the loop's thread, also outside of any task.
    package func isIsolatingCurrentContext() -> Bool? {
        queue.isOnLoop
    }
}
