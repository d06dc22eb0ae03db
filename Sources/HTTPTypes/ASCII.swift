// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Character classes of RFC 9110 and RFC 3986 on single bytes.
extension UInt8 {
    var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }

    var isASCIILetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }

    var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }

    /// "A" to "Z" as "a" to "z"; every other byte unchanged.
    var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    /// SP or HTAB.
    var isHTTPSpace: Bool { self == 0x20 || self == 0x09 }

    /// tchar (RFC 9110, section 5.6.2).
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: isASCIIAlphanumeric
        }
    }

    /// The value of a hexadecimal digit in either case.
    var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}

extension String {
    /// The text with ASCII capitals in lower case, otherwise unchanged.
    var asciiLowercased: String { String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) }

    /// The text without spaces and tabs at both ends (OWS of RFC 9110, section 5.6.3).
    func trimmingSpaces() -> String {
        guard let first = utf8.firstIndex(where: { !$0.isHTTPSpace }),
            let last = utf8.lastIndex(where: { !$0.isHTTPSpace })
        else { return "" }
        return String(self[first...last])
    }
}
