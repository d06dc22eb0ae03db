// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How many columns of a terminal a text takes.
package enum DisplayWidth {
    /// The number of columns: two for a wide character (East Asian, emoji), none for a combining mark and for our own
    /// change of colour.
    package static func of(_ text: String) -> Int {
        var width = 0
        var isColour = false
        for character in text {
            if isColour {
                isColour = character != "m"
            } else if character == "\u{1B}" {
                isColour = true
            } else {
                width += of(character)
            }
        }
        return width
    }

    /// The text, cut so that it takes at most `width` columns.
    package static func cut(_ text: String, to width: Int, ellipsis: String = "…") -> String {
        guard of(text) > width else { return text }
        let room = width - of(ellipsis)
        var result = ""
        var used = 0
        for character in text {
            used += of(character)
            guard used <= room else { break }
            result.append(character)
        }
        return result + ellipsis
    }

    /// The text broken at spaces into lines of at most `width` columns; a longer word stands alone, whole.
    package static func wrap(_ text: String, width: Int) -> [String] {
        wrap(words: text.split(separator: " ").map(String.init), width: width)
    }

    /// As above, of words that may have spaces of their own.
    package static func wrap(words: [String], width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in words {
            if line.isEmpty {
                line = word
            } else if of(line) + 1 + of(word) <= width {
                line += " " + word
            } else {
                lines.append(line)
                line = word
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }

    /// As `wrap`, with a longer word broken too: behind a sign such as `/` or `&` where one is near, else anywhere.
    package static func wrapBreaking(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ").map(String.init) {
            if line.isEmpty || of(line) + 1 + of(word) > width {
                let pieces = pieces(word, width: width)
                lines += (line.isEmpty ? [] : [line]) + pieces.dropLast()
                line = pieces.last ?? ""
            } else {
                line += " " + word
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }

    private static func pieces(_ word: String, width: Int) -> [String] {
        var rest = word
        var pieces: [String] = []
        while of(rest) > width, width > 0 {
            var piece = ""
            var used = 0
            for character in rest {
                used += of(character)
                guard used <= width || piece.isEmpty else { break }
                piece.append(character)
            }
            if let sign = piece.lastIndex(where: { "/&,;?=:".contains($0) }),
                piece.distance(from: piece.startIndex, to: sign) >= width / 3
            {
                piece = String(piece[...sign])
            }
            pieces.append(piece)
            rest = String(rest.dropFirst(piece.count))
        }
        return pieces + (rest.isEmpty ? [] : [rest])
    }

    private static func of(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case ..<0x300: return 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD:
            return 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return 0
            default: return 1
            }
        }
    }
}
