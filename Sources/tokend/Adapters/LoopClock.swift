// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Systemd

/// The broker's clock on the daemon's loop.
final class LoopClock: Clock {
    private let loop: EventLoop

    init(loop: EventLoop) {
        self.loop = loop
    }

    var now: Moment {
        Moment(wall: Int64(time(nil)), boot: loop.bootTime)
    }

    func schedule(
        at instant: BootInstant,
        accuracy: Duration,
        _ action: @escaping @LoopActor () -> Void
    ) -> any ScheduledTimer {
        LoopTimer(loop.addTimer(at: instant, accuracy: accuracy) { LoopActor.assumeIsolated(action) })
    }
}

/// A timer of the loop.
private final class LoopTimer: ScheduledTimer {
    private let source: EventSource

    init(_ source: EventSource) {
        self.source = source
    }

    func cancel() {
        source.cancel()
    }
}
