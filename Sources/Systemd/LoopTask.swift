// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Task where Failure == Never {
    /// Begins a linear flow on the daemon's loop, in its next round: the only way in which the daemon creates a task.
    ///
    /// A plain `Task` that is isolated to `LoopActor` runs there, too, but each answer that it waits for passes through
    /// the runtime's thread pool, and that pool, once used, wakes the process every second for ever. Here the loop
    /// replaces the pool.
    ///
    /// In such a task every `await` lets other jobs of the loop run before the awaited code begins, even if that is
    /// isolated to the loop and never suspends, as a continuation's body (Swift 6.3.1 compares task executors there,
    /// and a job that the loop runs has none). So check a wait's condition inside its continuation's body: a state that
    /// was read before the `await` may have changed.
    @discardableResult package static func onLoop(
        _ operation: sending @escaping @LoopActor () async -> Success
    ) -> Task<Success, Never> {
        Task(executorPreference: EventLoop.main, operation: operation)
    }
}
