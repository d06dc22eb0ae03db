// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Task where Failure == Never {
    /// Begins a linear flow on the daemon's loop, in its next round: the one way in which the daemon makes a task.
    ///
    /// A plain `Task` that is isolated to `LoopActor` runs there, too, but each answer that it waits for passes through
    /// the runtime's thread pool, and that pool, once it was used, wakes the process every second for ever. Here the
    /// loop takes the pool's place.
    @discardableResult package static func onLoop(
        _ operation: sending @escaping @LoopActor () async -> Success
    ) -> Task<Success, Never> {
        Task(executorPreference: EventLoop.main, operation: operation)
    }
}
