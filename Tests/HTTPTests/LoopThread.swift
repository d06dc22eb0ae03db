// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TestSupport

/// A thread for `EventLoop.main`, so that `@LoopActor` code runs in a test as it does in the daemon.
enum LoopThread {
    /// Starts it once in a test process; another target's may have been first, which is as good.
    static let start: Void = DetachedThread.run { _ = try? EventLoop.main.run() }
}
