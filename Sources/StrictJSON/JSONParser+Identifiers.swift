// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension JSONParser {
    /// Reads a bare name of JSON5: an IdentifierName of ECMAScript 5.1, section 7.6, escapes and all.
    mutating func identifier() throws(JSONError) -> String {
        var name = String.UnicodeScalarView()
        let first = position
        while position < count {
            let start = position
            let isEscaped = byte(position) == UInt8(ascii: "\\")
            if isEscaped && byte(position + 1) != UInt8(ascii: "u") {
                throw JSONError(
                    code: .invalidString,
                    message: "a name without quotes holds an unknown escape",
                    offset: start
                )
            }
            guard let scalar = isEscaped ? try unicodeEscape() : scalar(at: position) else {
                throw notUTF8(at: position)
            }
            guard isIdentifierStart(scalar) || (!name.isEmpty && isIdentifierPart(scalar)) else {
                position = start
                guard isEscaped else { break }
                throw JSONError(
                    code: .invalidString,
                    message: "an escape names a character that needs quotes around the name",
                    offset: start
                )
            }
            name.append(scalar)
            position = isEscaped ? position : position + UTF8.width(scalar)
        }
        guard !name.isEmpty else {
            throw unexpected(expected: "a name")
        }
        guard String(name).hasShortMarkRuns else { throw tooManyMarks(at: first) }
        return String(name)
    }

    private func isIdentifierStart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "$", "_": return true
        case "\0"..<"\u{80}": return false
        default: break
        }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: true
        default: false
        }
    }

    private func isIdentifierPart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "\u{200C}", "\u{200D}": return true
        case "\0"..<"\u{80}": return false
        default: break
        }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: true
        default: false
        }
    }
}
