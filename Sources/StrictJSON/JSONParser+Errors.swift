// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension JSONParser {
    /// The error for what stands at the current position.
    func unexpected(expected: String) -> JSONError {
        guard position < count else {
            return JSONError(
                code: .unexpectedEnd,
                message: "the text ends where \(expected) must stand",
                offset: count
            )
        }
        let found = byte(position)
        if found >= 0x80 {
            return unexpectedNonASCII(expected: expected)
        }
        let shown = found > 0x20 && found < 0x7F ? "'\(Unicode.Scalar(found))'" : "byte \(hexadecimal(found))"
        return JSONError(
            code: .unexpectedCharacter,
            message: "expected \(expected), found \(shown)",
            offset: position
        )
    }

    private func unexpectedNonASCII(expected: String) -> JSONError {
        guard let scalar = scalar(at: position) else {
            return notUTF8(at: position)
        }
        if scalar == "\u{FEFF}" && position == 0 {
            return JSONError(
                code: .unexpectedCharacter,
                message: "the text starts with a byte order mark; leave it out",
                offset: 0
            )
        }
        let code = String(scalar.value, radix: 16, uppercase: true)
        return JSONError(
            code: .unexpectedCharacter,
            message: "expected \(expected), found the character U+\(code)",
            offset: position
        )
    }

    func notUTF8(at offset: Int) -> JSONError {
        JSONError(code: .invalidUnicode, message: "the text is not UTF-8", offset: offset)
    }

    func doubled(_ name: String, at offset: Int) -> JSONError {
        return JSONError(
            code: .doubledName,
            message: "the name \(JSONWriter.quoted(name)) stands twice in one object",
            offset: offset
        )
    }

    private func hexadecimal(_ byte: UInt8) -> String {
        "0x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
