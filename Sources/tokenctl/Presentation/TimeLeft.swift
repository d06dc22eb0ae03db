// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How long it is until a moment that another program named. Pure.
package enum TimeLeft {
    /// Ten years: what is later is as good as never, and what is counted from it stays a number.
    package static let longest: Int64 = 10 * 365 * 86400

    /// Whole seconds from 0 to `longest`; both in unix seconds, whatever the other program says.
    package static func seconds(until moment: Int64, from now: Int64) -> Int64 {
        let (left, overflow) = moment.subtractingReportingOverflow(now)
        guard !overflow else { return moment > now ? longest : 0 }
        return min(max(left, 0), longest)
    }
}
