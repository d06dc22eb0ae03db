// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Text that came from outside, made safe for a terminal.
package enum TerminalText {
    /// Control characters, escapes, direction marks and line breaks are replaced by `?`; cut at `limit` characters.
    package static func sanitized(_ text: String, limit: Int = 300) -> String {
        var result = ""
        var count = 0
        for character in text {
            guard count < limit else { return result + "…" }
            result.append(character.unicodeScalars.allSatisfy(isHarmless) ? character : "?")
            count += 1
        }
        return result
    }

    /// A JSON document whose strings may hold such characters, with those written as `\uXXXX`: the same value.
    package static func escapedJSON(_ document: String) -> String {
        var result = ""
        for scalar in document.unicodeScalars {
            if isHarmless(scalar) || scalar == "\n" {
                result.unicodeScalars.append(scalar)
            } else {
                result += UTF16.units(of: scalar).map { "\\u" + hex($0) }.joined()
            }
        }
        return result
    }

    static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F: false
        case 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xE0000...0xE007F: false
        default: true
        }
    }

    private static func hex(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension UTF16 {
    fileprivate static func units(of scalar: Unicode.Scalar) -> [UInt16] {
        Array(String(scalar).utf16)
    }
}
