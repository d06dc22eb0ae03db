// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Cleans untrusted text (a provider's error description, a client's name) for display in a terminal, a notification, a
/// log or a page.
package enum DisplayText {
    /// The text on one line, without anything that moves a cursor, hides, or turns the direction of what
    /// is around it; cut to at most `limit` Unicode scalars, the last one `…` if something was cut.
    ///
    /// Whole escape sequences go (ECMA-48: CSI, and OSC and its kin with their contents), then control
    /// and format characters (C0, C1, bidi controls and marks, zero-width ones, tags), private-use and
    /// unassigned ones; runs of white space, line and paragraph separators become one space.
    package static func sanitized(_ text: String, limit: Int = 200) -> String {
        guard !isPlain(text) || text.utf8.count > limit else { return text }
        var scanner = EscapeScanner()
        var result: [Unicode.Scalar] = []
        var spacePending = false
        for scalar in text.unicodeScalars where !scanner.consumes(scalar) {
            if isSpace(scalar) {
                spacePending = !result.isEmpty
            } else if isShown(scalar) {
                if spacePending {
                    result.append(" ")
                    spacePending = false
                }
                result.append(scalar)
            }
            guard result.count <= limit else { return cut(result, limit: limit) }
        }
        return joined(result[...])
    }

    /// Whether it is visible ASCII with single spaces between words: most text is.
    private static func isPlain(_ text: String) -> Bool {
        let space = UInt8(ascii: " ")
        var last = space
        for byte in text.utf8 {
            guard (space...0x7E).contains(byte), byte != space || last != space else { return false }
            last = byte
        }
        return last != space || text.isEmpty
    }

    private static func cut(_ scalars: [Unicode.Scalar], limit: Int) -> String {
        guard limit > 0 else { return "" }
        return joined(scalars.prefix(limit - 1)) + "…"
    }

    private static func joined(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

/// Recognises ECMA-48 escape sequences, one scalar at a time.
private struct EscapeScanner {
    private enum State {
        case text
        /// After ESC.
        case escape
        /// In a control sequence, up to its final byte.
        case controlSequence
        /// In a control string (OSC, DCS, SOS, PM, APC), up to BEL or ST.
        case controlString
        /// In a control string, after an ESC that may begin its ST.
        case controlStringEscape
    }

    private var state = State.text

    /// Whether the scalar belongs to an escape sequence and must be dropped.
    mutating func consumes(_ scalar: Unicode.Scalar) -> Bool {
        switch state {
        case .text: return beginsSequence(scalar)
        case .escape: state = afterEscape(scalar)
        case .controlSequence: return continuesControlSequence(scalar)
        case .controlString:
            if scalar == "\u{1B}" {
                state = .controlStringEscape
            } else if scalar == "\u{07}" || scalar == "\u{9C}" {
                state = .text
            }
        case .controlStringEscape:
            state = scalar == "\\" ? .text : .controlString
        }
        return true
    }

    private mutating func beginsSequence(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1B: state = .escape
        case 0x9B: state = .controlSequence
        case 0x90, 0x98, 0x9D, 0x9E, 0x9F: state = .controlString
        default: return false
        }
        return true
    }

    private func afterEscape(_ scalar: Unicode.Scalar) -> State {
        switch scalar {
        case "[": .controlSequence
        case "]", "P", "X", "^", "_": .controlString
        case "\u{1B}", " "..."/": .escape
        default: .text
        }
    }

    /// A control sequence ends with its final byte; an invalid byte ends it, too, and is treated as text.
    private mutating func continuesControlSequence(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x3F: return true
        case 0x40...0x7E: state = .text
        default:
            state = .text
            return beginsSequence(scalar)
        }
        return true
    }
}
