// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A time on the boot-time clock, which runs during suspend.
package struct Deadline: Sendable, Equatable {
    private let milliseconds: Int64

    /// This long from now.
    package init(in duration: Duration) {
        let parts = duration.components
        let ahead = min(max(parts.seconds, 0), 10 * 365 * 86400) * 1000 + parts.attoseconds / 1_000_000_000_000_000
        milliseconds = Self.now + max(ahead, 0)
    }

    /// The earlier of the two.
    package func capped(in duration: Duration) -> Deadline {
        let other = Deadline(in: duration)
        return other.milliseconds < milliseconds ? other : self
    }

    /// Whether it has passed.
    package var isOver: Bool { milliseconds <= Self.now }

    /// The timeout for `poll`, in milliseconds.
    package var pollTimeout: Int32 { Int32(min(max(milliseconds - Self.now, 0), Int64(Int32.max))) }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
