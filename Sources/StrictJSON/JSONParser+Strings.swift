// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension JSONParser {
    /// Reads the string whose opening quote stands here; without escapes it is one copy of the bytes.
    mutating func string(quote: UInt8) throws(JSONError) -> String {
        let start = position + 1
        var index = quote == UInt8(ascii: "\"") ? start + plainLength(from: start) : start
        var isASCII = true
        while true {
            let next = byte(index)
            if next == quote {
                position = index + 1
                let text = text(start..<index)
                return isASCII ? text : try checked(text, start: start)
            }
            if next == UInt8(ascii: "\\") {
                return try checked(escapedString(quote: quote, start: start, firstEscape: index), start: start)
            }
            if next < 0x20 {
                try checkControl(at: index, start: start)
            }
            isASCII = isASCII && next < 0x80
            index += next < 0x80 ? 1 : try characterLength(at: index)
        }
    }

    /// The text, with runs of marks that take no long time to compare (see `MarkRun`): in the lenient dialect without what
    /// is too much, in the others only where it is so.
    private func checked(_ text: String, start: Int) throws(JSONError) -> String {
        guard !isLenient else { return text.withShortMarkRuns }
        guard text.hasShortMarkRuns else { throw tooManyMarks(at: start) }
        return text
    }

    func tooManyMarks(at offset: Int) -> JSONError {
        JSONError(
            code: .invalidString,
            message: "more than \(MarkRun.longest) combining marks follow one another",
            offset: offset
        )
    }

    /// Reads a string on from its first escape.
    private mutating func escapedString(quote: UInt8, start: Int, firstEscape: Int) throws(JSONError) -> String {
        var result = copy(start..<firstEscape)
        position = firstEscape
        while true {
            let next = byte(position)
            if next == quote {
                position += 1
                return String(decoding: result, as: UTF8.self)
            }
            if next == UInt8(ascii: "\\") {
                try escape(into: &result)
                continue
            }
            if next < 0x20 {
                try checkControl(at: position, start: start)
            }
            let length = try characterLength(at: position)
            for index in position..<position + length {
                result.append(byte(index))
            }
            position += length
        }
    }

    /// An error where the text ends within a string, or holds a control character that a string may not.
    private func checkControl(at offset: Int, start: Int) throws(JSONError) {
        guard offset < count else {
            throw JSONError(code: .unexpectedEnd, message: "a string has no closing quote", offset: count)
        }
        if isLenient || (isJSON5 && !isLineEnd(at: offset)) {
            return
        }
        let message =
            isLineEnd(at: offset)
            ? "a string does not end on its line; write the line break as \\n"
            : "a string holds a bare control character; write it as an escape"
        throw JSONError(code: .invalidString, message: message, offset: offset)
    }

    /// Reads the escape that starts here and appends what it stands for.
    private mutating func escape(into result: inout [UInt8]) throws(JSONError) {
        let letter = byte(position + 1)
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(letter)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"):
            result.append(contentsOf: try unicodeEscape().utf8)
            return
        default:
            try escape5(into: &result)
            return
        }
        position += 2
    }

    /// Reads a `\uXXXX` escape, or the two of a surrogate pair (RFC 8259 section 7); half a pair is an error.
    mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position
        let first = try hexadecimal(at: start + 2, digits: 4)
        position = start + 6
        if let scalar = Unicode.Scalar(first) {
            return scalar
        }
        if first < 0xDC00, byte(start + 6) == UInt8(ascii: "\\"), byte(start + 7) == UInt8(ascii: "u") {
            let second = try hexadecimal(at: start + 8, digits: 4)
            if (0xDC00..<0xE000).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                position = start + 12
                return scalar
            }
        }
        guard !isLenient else { return "\u{FFFD}" }
        throw JSONError(
            code: .invalidUnicode,
            message: "an escape names one half of a surrogate pair without the other",
            offset: start
        )
    }

    /// The value of this many hexadecimal digits.
    func hexadecimal(at offset: Int, digits: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for index in offset..<offset + digits {
            guard let digit = hexadecimalDigit(byte(index)) else {
                throw JSONError(
                    code: .invalidString,
                    message: "an escape lacks one of its \(digits) hexadecimal digits",
                    offset: min(index, count)
                )
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The escapes that only JSON5 has: `\'`, `\v`, `\0`, `\xHH`, a line's continuation, and a character that needs
    /// none (but not the digits 1 to 9).
    private mutating func escape5(into result: inout [UInt8]) throws(JSONError) {
        let letter = byte(position + 1)
        guard isJSON5, position + 1 < count else {
            throw unknownEscape()
        }
        switch letter {
        case UInt8(ascii: "v"):
            result.append(0x0B)
        case UInt8(ascii: "0") where !isDigit(byte(position + 2)):
            result.append(0)
        case UInt8(ascii: "x"):
            let value = try hexadecimal(at: position + 2, digits: 2)
            result.append(contentsOf: Unicode.Scalar(UInt8(truncatingIfNeeded: value)).utf8)
            position += 2
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            throw unknownEscape()
        case _ where isLineEnd(at: position + 1):
            let isCRLF = letter == 0x0D && byte(position + 2) == 0x0A
            position += isCRLF ? 3 : 1 + (try characterLength(at: position + 1))
            return
        default:
            // The character stands for itself: the caller's loop takes it.
            position += 1
            let length = try characterLength(at: position)
            result.append(contentsOf: copy(position..<position + length))
            position += length
            return
        }
        position += 2
    }

    private func unknownEscape() -> JSONError {
        guard position + 1 < count else {
            return JSONError(code: .unexpectedEnd, message: "a string has no closing quote", offset: count)
        }
        return JSONError(code: .invalidString, message: "a string holds an unknown escape", offset: position)
    }

    func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}
