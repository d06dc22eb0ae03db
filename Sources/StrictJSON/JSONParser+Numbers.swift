// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension JSONParser {
    /// Reads a number of RFC 8259 section 6.
    mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        if byte(position) == UInt8(ascii: "-") {
            position += 1
        }
        try digits(of: "a number")
        let first = byte(start) == UInt8(ascii: "-") ? start + 1 : start
        try checkLeadingZero(from: first)
        if byte(position) == UInt8(ascii: ".") {
            position += 1
            try digits(of: "the fraction of a number")
        }
        try exponent()
        return JSONNumber(checked: text(start..<position))
    }

    /// Reads a JSON5 number and gives it JSON's spelling.
    mutating func number5() throws(JSONError) -> JSONNumber {
        let isNegative = byte(position) == UInt8(ascii: "-")
        if isNegative || byte(position) == UInt8(ascii: "+") {
            position += 1
        }
        let sign = isNegative ? "-" : ""
        switch byte(position) {
        case UInt8(ascii: "I"):
            try literal("Infinity")
            return JSONNumber(checked: sign + "Infinity")
        case UInt8(ascii: "N"):
            try literal("NaN")
            return JSONNumber(checked: "NaN")
        case UInt8(ascii: "0") where byte(position + 1) | 0x20 == UInt8(ascii: "x"):
            return JSONNumber(checked: sign + String(try hexadecimalInteger()))
        default:
            return JSONNumber(checked: sign + (try decimal5()))
        }
    }

    private mutating func decimal5() throws(JSONError) -> String {
        let start = position
        if byte(position) != UInt8(ascii: ".") {
            try digits(of: "a number")
            try checkLeadingZero(from: start)
        }
        var result = start == position ? "0" : text(start..<position)
        if byte(position) == UInt8(ascii: ".") {
            let point = position
            position += 1
            if isDigit(byte(position)) || point == start {
                try digits(of: "the fraction of a number")
                result += text(point..<position)
            }
        }
        let end = position
        try exponent()
        return result + text(end..<position)
    }

    private mutating func hexadecimalInteger() throws(JSONError) -> UInt64 {
        let start = position
        position += 2
        var value: UInt64 = 0
        var overflowed = false
        while let digit = hexadecimalDigit(byte(position)) {
            overflowed = overflowed || value >> 60 != 0
            value = value << 4 | UInt64(digit)
            position += 1
        }
        guard position > start + 2 else {
            throw unexpected(expected: "a hexadecimal digit")
        }
        guard !overflowed else {
            throw JSONError(
                code: .invalidNumber,
                message: "a hexadecimal number is longer than 64 bits",
                offset: start
            )
        }
        return value
    }

    private mutating func exponent() throws(JSONError) {
        guard byte(position) | 0x20 == UInt8(ascii: "e") else { return }
        position += 1
        if byte(position) == UInt8(ascii: "+") || byte(position) == UInt8(ascii: "-") {
            position += 1
        }
        try digits(of: "the exponent of a number")
    }

    private mutating func digits(of what: StaticString) throws(JSONError) {
        let start = position
        while isDigit(byte(position)) {
            position += 1
        }
        guard position > start else {
            throw unexpected(expected: "a digit of \(what)")
        }
    }

    private func checkLeadingZero(from first: Int) throws(JSONError) {
        guard byte(first) == UInt8(ascii: "0"), position > first + 1 else { return }
        throw JSONError(code: .invalidNumber, message: "a number does not start with a zero", offset: first)
    }
}
