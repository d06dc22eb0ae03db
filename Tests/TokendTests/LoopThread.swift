// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd

/// A thread for `EventLoop.main`, so that `@LoopActor` code runs in a test as it does in the daemon.
enum LoopThread {
    /// Starts it once in a test process; another target's may have been first, which is as good.
    static let start: Void = {
        var thread = pthread_t()
        pthread_create(
            &thread,
            nil,
            { _ in
                _ = try? EventLoop.main.run()
                return nil
            },
            nil
        )
        pthread_detach(thread)
    }()
}
