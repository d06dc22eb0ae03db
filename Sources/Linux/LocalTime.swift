// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A time in the user's time zone.
package enum LocalTime {
    /// `2026-11-30 14:05:09` in `TZ`'s zone, else in the machine's; nil if it is outside the calendar.
    package static func text(_ seconds: Int64) -> String? {
        var moment = time_t(seconds)
        var parts = tm()
        // localtime_r(3) itself may not read TZ.
        tzset()
        guard localtime_r(&moment, &parts) != nil else { return nil }
        let day = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)].map(Self.digits)
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.digits(Int($0)) }
        return day.joined(separator: "-") + " " + time.joined(separator: ":")
    }

    private static func digits(_ number: Int) -> String {
        (0..<10).contains(number) ? "0\(number)" : String(number)
    }
}
