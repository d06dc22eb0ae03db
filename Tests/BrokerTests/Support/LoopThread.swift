// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TestSupport
import Testing

@testable import Systemd

/// A thread for `EventLoop.main`, so that `@LoopActor` code runs in a test as it does in the daemon.
enum LoopThread {
    /// Starts it once in a test process; another target's may have been first, which is as good.
    static let start: Void = DetachedThread.run { _ = try? EventLoop.main.run() }
}

/// Starts the loop's thread before a suite, whose test functions may then be `@LoopActor`, and runs a few of them at a
/// time.
///
/// All of them share that one thread: begun together, each would take as long as all, and on a busy machine that is more
/// than the minute that is meant for one; with a sanitizer, which makes each some ten times slower, they run one by one.
/// Waiting for the turn does not count towards a test's time limit.
struct OnLoopTrait: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turnstile(width: Sanitizer.current == nil ? 4 : 1)

    var isRecursive: Bool { true }

    func prepare(for test: Test) async throws {
        LoopThread.start
    }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite || testCase != nil ? nil : self
    }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Self.turns.pass(function)
    }
}

extension Trait where Self == OnLoopTrait {
    /// Starts the loop's thread first.
    static var onLoop: OnLoopTrait { OnLoopTrait() }
}

/// Lets everything on the loop run until it waits for the clock, the transport, the store or another thread.
///
/// The ports in memory answer on the loop itself, so that no time passes. What other tests have begun there runs too.
@LoopActor func settle() async {
    await LoopRest.reached()
}

/// Finds when the loop has no job left.
///
/// One look serves all who wait: a look is a job itself, so two of them would always find one another.
@LoopActor private enum LoopRest {
    private static var waiting: [CheckedContinuation<Void, Never>] = []

    static func reached() async {
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            if waiting.count == 1 { Task.onLoop { await look() } }
        }
    }

    private static func look() async {
        repeat { await Task.yield() } while !EventLoop.main.hasNoOtherJob
        for continuation in exchange(&waiting, with: []) { continuation.resume() }
    }
}
