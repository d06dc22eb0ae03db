// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Long-running work on a grant: a read or a write of its item, a refresh, an import.
///
/// It is current until the next login, logout, import or change of flow. After that it must change nothing, since it
/// could undo what the user did: `start` drops its result, and `change` corrects the store.
@LoopActor struct GrantWork {
    /// What becomes of its result.
    enum Disposition {
        case wanted
        /// A login has taken the grant's place: revoking the result could end the new grant, too.
        case dropped
        /// The user has signed out: the result is revoked and not stored.
        case revoked
    }

    private let keeper: GrantKeeper
    private let generation: Int

    init(_ keeper: GrantKeeper, _ generation: Int) {
        self.keeper = keeper
        self.generation = generation
    }

    var isCurrent: Bool { generation == keeper.generation }

    var disposition: Disposition { isCurrent ? .wanted : keeper.lateDisposition }

    /// Starts `operation` as a task, and hands its result to `body` if the work is current by then.
    func start<Result>(
        _ operation: @escaping @LoopActor () async -> Result,
        then body: @escaping @LoopActor (Result) -> Void
    ) {
        Task.onLoop {
            let result = await operation()
            if isCurrent { body(result) }
        }
    }

    /// Runs `body` as the only one that changes the item.
    func withItem<Value, Failure: Error>(
        _ body: @LoopActor () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await keeper.locks.withItem(body)
    }

    /// Makes one change of the item, inside `withItem`, if the work is current. If it is no longer current afterwards,
    /// the store is corrected: it gets the record in force.
    ///
    /// - Parameter apply: takes the change over before anything else can run.
    /// - Returns: nil if the work is not current.
    func change<Value, Outcome, Failure: Error>(
        _ body: @LoopActor () async throws(Failure) -> Value,
        then apply: @LoopActor (Value) -> Outcome
    ) async throws(Failure) -> Outcome? {
        guard isCurrent else { return nil }
        let value = try await body()
        guard !isCurrent else { return apply(value) }
        await keeper.reconcile()
        return nil
    }

    /// - Returns: whether the work is current.
    func change<Failure: Error>(_ body: @LoopActor () async throws(Failure) -> Void) async throws(Failure) -> Bool {
        try await change(body) { true } ?? false
    }
}
