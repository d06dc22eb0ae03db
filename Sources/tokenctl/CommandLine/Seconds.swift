// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A duration as users type it: `90`, `90s`, `10m`, `2h`.
package enum Seconds {
    /// Whole seconds, or nil if the text is no duration.
    package static func parse(_ text: String) -> Int64? {
        let factors: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        var digits = text[...]
        var factor: Int64 = 1
        if let last = text.last, let unit = factors[last] {
            factor = unit
            digits = text.dropLast()
        }
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int64(digits) else {
            return nil
        }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : seconds
    }
}
