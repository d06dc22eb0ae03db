// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A number as it was written: JSON sets no limit to size or precision, so nothing is lost before someone asks.
///
/// `text` is a number of RFC 8259 section 6, or one of `Infinity`, `-Infinity` and `NaN`, which JSON5 alone has (the
/// reader turns JSON5's other spellings, `+1`, `.5`, `5.` and `0x1F`, into JSON's). Two numbers are equal where their
/// texts are: `1` is not `1.0`.
package struct JSONNumber: Sendable, Equatable {
    /// The number's spelling.
    package let text: String

    /// An integer.
    package init(_ value: Int64) {
        text = String(value)
    }

    /// Takes a spelling that the reader has checked.
    init(checked text: String) {
        self.text = text
    }

    /// The value where it is written as an integer (no point, no exponent) that fits; otherwise nil.
    package var int64: Int64? {
        Int64(text)
    }

    /// The nearest double; nil where the number is beyond a double's range.
    package var double: Double? {
        guard let value = Double(text) else { return nil }
        return value.isFinite || !isFinite ? value : nil
    }

    /// Whether this is a number that JSON can write, unlike JSON5's `Infinity` and `NaN`.
    package var isFinite: Bool {
        text.utf8.last.map { $0 <= UInt8(ascii: "9") } ?? false
    }
}
