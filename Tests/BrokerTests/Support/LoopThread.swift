// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TestSupport
import Testing

/// A thread for `EventLoop.main`, so that `@LoopActor` code runs in a test as it does in the daemon.
enum LoopThread {
    /// Starts it once in a test process; another target's may have been first, which is as good.
    static let start: Void = DetachedThread.run { _ = try? EventLoop.main.run() }
}

/// Starts the loop's thread before a suite, whose test functions may then be `@LoopActor`.
struct OnLoopTrait: SuiteTrait, TestTrait {
    func prepare(for test: Test) async throws {
        LoopThread.start
    }
}

extension Trait where Self == OnLoopTrait {
    /// Starts the loop's thread first.
    static var onLoop: OnLoopTrait { OnLoopTrait() }
}

/// Lets everything on the loop run until it waits for the clock, the transport or the store.
///
/// The ports in memory answer on the loop itself, so that a bounded number of rounds is enough and no time passes.
@LoopActor func settle() async {
    for _ in 0..<64 { await Task.yield() }
}
