// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// Why an address that a user pasted is not the one that a sign-in ends on. Pure; the daemon is the one who judges,
/// and this is its sentence.
package enum PastedAddress {
    /// The address without what mails and chats put around one: angle brackets, quotes, blanks.
    package static func bare(_ text: String) -> String {
        let blank = { (character: Character) in character.isWhitespace }
        var rest = text.drop(while: blank)
        let isApostrophe = rest.first == "'"
        rest = rest.drop { "<\"“‘«'".contains($0) }
        while let last = rest.last, blank(last) || ">\"”’»".contains(last) || (isApostrophe && last == "'") {
            rest.removeLast()
        }
        return String(rest)
    }

    /// Whether a line goes on with an address that was wrapped: it has no blank in it, and begins no other one.
    package static func isContinuation(_ line: String) -> Bool {
        let text = bare(line)
        return !text.isEmpty && !text.contains("://") && !text.contains(where: \.isWhitespace)
    }

    /// One sentence that repeats nothing of the address but where it is: a code may be in it.
    package static func fault(of text: String, redirectURI: String) -> String {
        guard let wanted = try? WebURL(redirectURI) else { return "That is not the address." }
        let place = "it begins with \(TerminalText.sanitized(wanted.origin + wanted.path))"
        guard let url = try? WebURL(text) else {
            return "That is no whole address; \(place). Copy all of it, to its end."
        }
        guard url.origin == wanted.origin else {
            return "That address is at \(TerminalText.sanitized(url.origin)), so the sign-in is not done yet; "
                + "at its end \(place)."
        }
        guard url.path == wanted.path else { return "That address has another path; \(place)." }
        return "That address lacks a part of what the sign-in asked for; copy all of it, to its end."
    }

    /// The redirect is right, and the answer is not this sign-in's.
    package static let otherAnswer =
        "That address is the right page, but not the answer to this sign-in: it may be from an earlier one, "
        + "or not whole. Open the URL above anew, and copy all of the address at the end."
}
