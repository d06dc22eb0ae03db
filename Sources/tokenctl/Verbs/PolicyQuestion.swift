// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON
package import TokendProtocol

/// The event `confirm_wanted` as a question. Pure.
package struct PolicyQuestion: Sendable {
    /// nil where the event names none.
    package let id: String?
    /// What is asked.
    package let sentence: String
    private let canBeRemembered: Bool

    /// From an event's members.
    package init(_ event: JSONObject) {
        func text(_ name: String) -> String { TerminalText.sanitized(event[name]?.string ?? "?") }
        id = event["id"]?.string
        canBeRemembered = event["always"]?.bool == true
        if event["destination"] != nil {
            sentence = "\(text("client")) sets \(text("account")) up anew, for \(text("destination"))."
        } else {
            let name = event["application"] == nil ? "" : " (it calls itself “\(text("application"))”)"
            sentence = "\(text("client"))\(name) asks for a token of \(text("account"))."
        }
    }

    /// What may be typed.
    package var prompt: String { canBeRemembered ? "[o]nce, [a]lways, [d]eny?" : "[o]nce, [d]eny?" }

    /// What was typed, as an answer; nil for anything else.
    package func answer(_ typed: String) -> ConfirmAnswer.Answer? {
        switch typed.lowercased() {
        case "o", "once": .once
        case "a", "always": canBeRemembered ? .always : nil
        case "d", "deny": .deny
        default: nil
        }
    }
}
