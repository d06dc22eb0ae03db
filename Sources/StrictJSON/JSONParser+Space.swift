// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension JSONParser {
    /// Moves past white space and, in JSON5, comments.
    @inline(__always)
    mutating func skipSpace() throws(JSONError) {
        while true {
            switch byte(position) {
            case 0x20, 0x0A, 0x0D, 0x09:
                position += 1
            default:
                guard isJSON5, try skipSpace5() else { return }
            }
        }
    }

    /// Moves past one white space character or comment of those that only JSON5 has; false where none stands.
    private mutating func skipSpace5() throws(JSONError) -> Bool {
        switch byte(position) {
        case 0x0B, 0x0C:
            position += 1
        case UInt8(ascii: "/"):
            try skipComment()
        case 0x80...:
            guard let scalar = scalar(at: position), isSpace(scalar) else { return false }
            position += UTF8.width(scalar)
        default:
            return false
        }
        return true
    }

    private func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{FEFF}", "\u{2028}", "\u{2029}": true
        default: scalar.properties.generalCategory == .spaceSeparator
        }
    }

    private mutating func skipComment() throws(JSONError) {
        let start = position
        switch byte(position + 1) {
        case UInt8(ascii: "/"):
            position += 2
            while position < count, !isLineEnd(at: position) {
                position += try characterLength(at: position)
            }
        case UInt8(ascii: "*"):
            position += 2
            while byte(position) != UInt8(ascii: "*") || byte(position + 1) != UInt8(ascii: "/") {
                guard position < count else {
                    throw JSONError(
                        code: .unexpectedEnd,
                        message: "a comment has no end: '*/' is missing",
                        offset: start
                    )
                }
                position += try characterLength(at: position)
            }
            position += 2
        default:
            throw unexpected(expected: "a value or a comment")
        }
    }

    /// Whether LF, CR, U+2028 or U+2029 stands here.
    func isLineEnd(at offset: Int) -> Bool {
        switch byte(offset) {
        case 0x0A, 0x0D: true
        case 0xE2: byte(offset + 1) == 0x80 && byte(offset + 2) & 0xFE == 0xA8
        default: false
        }
    }

    /// The length of the UTF-8 sequence that starts here; where none does, an error, or one byte in the lenient dialect,
    /// whose text is repaired as it is copied.
    @inline(__always)
    func characterLength(at offset: Int) throws(JSONError) -> Int {
        if byte(offset) < 0x80 {
            return 1
        }
        guard let scalar = scalar(at: offset) else {
            guard !isLenient else { return 1 }
            throw notUTF8(at: offset)
        }
        return UTF8.width(scalar)
    }

    /// The character whose UTF-8 sequence starts here (RFC 3629: shortest form, no surrogates), or nil.
    func scalar(at offset: Int) -> Unicode.Scalar? {
        let first = UInt32(byte(offset))
        let length: Int
        let least: UInt32
        switch first {
        case 0x00..<0x80: return offset < count ? Unicode.Scalar(first) : nil
        case 0xC2..<0xE0: (length, least) = (2, 0x80)
        case 0xE0..<0xF0: (length, least) = (3, 0x800)
        case 0xF0..<0xF5: (length, least) = (4, 0x10000)
        default: return nil
        }
        var value = first & (0x7F >> UInt32(length))
        for index in 1..<length {
            let next = byte(offset + index)
            guard next & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(next & 0x3F)
        }
        return value >= least ? Unicode.Scalar(value) : nil
    }
}
