// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

/// A text such as only an attacker sends, and the look-out for what must not be left of it.
enum OutsideText {
    /// A word of it that is harmless and may be seen.
    static let word = "outsider"
    /// Colours, a title and a bell for terminals, both forms of CSI, markup, bidi controls, line ends that begin a
    /// line of their own, NUL and DEL.
    static let hostile = """
        \(word)\u{1b}[31m\u{1b}]0;title\u{7}\u{9b}32m<b onclick="evil()">&amp;'\u{202e}\u{2066}\u{200f}\u{61c}\r
        forged-line\u{85}forged-line\u{2028}forged-line\u{0}\u{7f}
        """

    /// What of `text` is not fit for a user's eyes; empty when all is well.
    ///
    /// - Parameter html: whether it is a page, where markup counts too.
    static func leaks(in text: String, html: Bool = false) -> [String] {
        var found: [String] = []
        for scalar in text.unicodeScalars where isControl(scalar) {
            found.append("U+" + String(scalar.value, radix: 16, uppercase: true))
        }
        for line in text.split(whereSeparator: \.isNewline).dropFirst() where line.hasPrefix("forged-line") {
            found.append("a line of its own")
        }
        if html, text.contains("<b onclick") { found.append("markup") }
        return found
    }

    /// What leaks from a refusal's message and from the strings in its data that are sentences.
    static func leaks(in refusal: DaemonRefusal) -> [String] {
        leaks(in: refusal.message, oneLine: true)
            + refusal.data.compactMap { $0.value.string }.flatMap { leaks(in: $0, oneLine: true) }
    }

    /// What leaks from the strings of a result.
    static func leaks(in object: JSONObject) -> [String] {
        object.flatMap { member -> [String] in
            if let text = member.value.string { return leaks(in: text, oneLine: true) }
            return leaks(in: member.value.object ?? [:])
        }
    }

    private static func leaks(in text: String, oneLine: Bool) -> [String] {
        leaks(in: text) + (oneLine && text.contains { $0.isNewline } ? ["a line end"] : [])
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0a: false
        case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
