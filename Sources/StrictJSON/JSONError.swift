// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Why a text is not JSON (or JSON5), and where.
package struct JSONError: Error, Sendable, Equatable {
    /// What kind of fault it is.
    package enum Code: Sendable {
        /// The text ends where more must follow.
        case unexpectedEnd
        /// A character stands where the grammar has no place for it.
        case unexpectedCharacter
        /// The bytes are not UTF-8, or an escape names a surrogate without its other half.
        case invalidUnicode
        /// A string holds an unknown escape, a bare control character or a long run of combining marks.
        case invalidString
        /// A number is not written as one.
        case invalidNumber
        /// An object gives a name twice.
        case doubledName
        /// Lists and objects nest deeper than the reader allows.
        case tooDeep
        /// The text is longer than offsets can tell (4 GiB).
        case tooLong
    }

    /// What kind of fault it is.
    package let code: Code
    /// One sentence for a user, without the place.
    package let message: String
    /// The first byte that is at fault; the length of the text where the text ends too early.
    package let offset: Int

    /// The line and the column of the fault in the text that was read.
    package func position(in bytes: [UInt8]) -> (line: Int, column: Int) {
        StrictJSON.position(of: offset, in: bytes)
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String {
        "\(message) (at byte \(offset))"
    }
}

/// The line and the column of an offset, both counted from 1 as editors do; columns count Unicode scalars.
///
/// A line ends with LF, CR or CRLF. An offset beyond the end is the end.
package func position(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    for (index, byte) in bytes.prefix(max(offset, 0)).enumerated() {
        let endsLine =
            byte == UInt8(ascii: "\n")
            || (byte == UInt8(ascii: "\r") && (index + 1 >= bytes.count || bytes[index + 1] != UInt8(ascii: "\n")))
        if endsLine {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
    }
    return (line, column)
}
