// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Times as people say them.
package enum TimePhrase {
    /// `in 42 min`, `5 min ago`, `now`; both in unix seconds.
    package static func relative(_ time: Int64, to now: Int64) -> String {
        let (distance, overflow) = time.subtractingReportingOverflow(now)
        guard !overflow, distance.magnitude < 100 * 365 * 86400 else {
            return time > now ? "in a very long time" : "very long ago"
        }
        switch distance {
        case -4...0: return "now"
        case ..<0: return "\(length(-distance)) ago"
        default: return "in \(length(distance))"
        }
    }

    /// `45 s`, `42 min`, `1 h 20 min`, `5 days`; rounded down, so that a promise is never too long.
    package static func length(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: return "\(max(0, seconds)) s"
        case ..<3600: return "\(seconds / 60) min"
        case ..<36000:
            let minutes = seconds % 3600 / 60
            return minutes == 0 ? "\(seconds / 3600) h" : "\(seconds / 3600) h \(minutes) min"
        case ..<(2 * 86400): return "\(seconds / 3600) h"
        case ..<(90 * 86400): return "\(seconds / 86400) days"
        case ..<(730 * 86400): return "\(seconds / (30 * 86400)) months"
        default: return "\(seconds / (365 * 86400)) years"
        }
    }

    /// `4:05`, for a countdown.
    package static func countdown(_ seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}
