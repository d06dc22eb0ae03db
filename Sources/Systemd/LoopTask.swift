// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Task where Failure == Never {
    /// Begins a linear flow on the daemon's loop, in its next round: the one way in which the daemon makes a task.
    ///
    /// A plain `Task` that is isolated to `LoopActor` runs there, too, but each answer that it waits for passes through
    /// the runtime's thread pool, and that pool, once it was used, wakes the process every second for ever. Here the
    /// loop takes the pool's place.
    ///
    /// In such a task every `await` lets other jobs of the loop run before what is awaited begins, also where that is
    /// isolated to the loop and never waits, as a continuation's body (Swift 6.3.1 compares task executors there, and a
    /// job that the loop runs has none). So a wait looks inside its continuation's body at what it waits for: what was
    /// seen before the `await` may be over.
    @discardableResult package static func onLoop(
        _ operation: sending @escaping @LoopActor () async -> Success
    ) -> Task<Success, Never> {
        Task(executorPreference: EventLoop.main, operation: operation)
    }
}
