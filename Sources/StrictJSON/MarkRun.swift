// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Runs of combining marks, and how long one may be.
///
/// To compare, hash or search a text, Swift puts the marks that follow one another in canonical order, in a time that
/// grows with the square of their number: a hundred thousand of them hold the loop for seconds, in any `==`. No language
/// writes more than a few, and Unicode's stream-safe texts have at most 30 (UAX #15, section 13). So no text from outside
/// may have more.
package enum MarkRun {
    /// How many marks may follow one another.
    package static let longest = 30

    /// Whether this scalar, or what it is decomposed to, is moved among its neighbours.
    fileprivate static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        // These three are in no order themselves, and what they stand for is.
        let standsForMarks = scalar.value == 0xF73 || scalar.value == 0xF75 || scalar.value == 0xF81
        return standsForMarks || scalar.properties.canonicalCombiningClass != .notReordered
    }
}

extension String {
    /// Whether no more than `MarkRun.longest` marks follow one another.
    package var hasShortMarkRuns: Bool {
        var run = 0
        for scalar in unicodeScalars {
            run = MarkRun.isMark(scalar) ? run + 1 : 0
            if run > MarkRun.longest { return false }
        }
        return true
    }

    /// The text without those marks that are too many in their run.
    package var withShortMarkRuns: String {
        guard !hasShortMarkRuns else { return self }
        var run = 0
        let kept = unicodeScalars.filter { scalar in
            run = MarkRun.isMark(scalar) ? run + 1 : 0
            return run <= MarkRun.longest
        }
        return String(String.UnicodeScalarView(kept))
    }
}
