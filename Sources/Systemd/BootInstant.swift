// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A time on the boot-time clock (`CLOCK_BOOTTIME`): it runs during suspend and never steps, so every deadline uses it.
package struct BootInstant: InstantProtocol, CustomStringConvertible {
    /// Microseconds since the machine started.
    package let microseconds: UInt64

    /// The instant `microseconds` after the start of the machine.
    package init(microseconds: UInt64) {
        self.microseconds = microseconds
    }

    /// The current time.
    package static var now: BootInstant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return BootInstant(microseconds: UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000)
    }

    /// The instant later by `duration` (earlier if negative); clamped to the range.
    package func advanced(by duration: Duration) -> BootInstant {
        let offset = duration.microseconds
        let (sum, overflow) =
            offset < 0
            ? microseconds.subtractingReportingOverflow(offset.magnitude)
            : microseconds.addingReportingOverflow(offset.magnitude)
        // UInt64.max means "never" to sd-event, so the range ends one below it.
        guard !overflow else { return BootInstant(microseconds: offset < 0 ? 0 : .max - 1) }
        return BootInstant(microseconds: min(sum, .max - 1))
    }

    /// The time from here to `other`; negative if that is in the past.
    package func duration(to other: BootInstant) -> Duration {
        other.microseconds >= microseconds
            ? .microseconds(Int64(clamping: other.microseconds - microseconds))
            : .zero - .microseconds(Int64(clamping: microseconds - other.microseconds))
    }

    package static func < (left: BootInstant, right: BootInstant) -> Bool {
        left.microseconds < right.microseconds
    }

    package var description: String { "\(microseconds) µs after boot" }
}

extension Duration {
    /// Whole microseconds, rounded towards zero and clamped to the range.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return whole + attoseconds / 1_000_000_000_000
    }
}
