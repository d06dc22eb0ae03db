// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// Why a pasted address does not complete a sign-in. Pure; the daemon decides, and this explains.
package enum PastedAddress {
    /// The address without delimiters from mails and chats: angle brackets, quotes, blanks.
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

    /// Whether a line continues a wrapped address: it contains no blank, and does not begin another address.
    package static func isContinuation(_ line: String) -> Bool {
        let text = bare(line)
        return !text.isEmpty && !text.contains(text: "://") && !text.contains(where: \.isWhitespace)
    }

    /// One sentence that repeats only the address's host: it may contain a code.
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

    /// The redirect is right, but the answer belongs to another sign-in.
    package static let otherAnswer =
        "That address is the right page, but not the answer to this sign-in: it may be from an earlier one, "
        + "or not whole. Open the URL above anew, and copy all of the address at the end."
}
