// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// The event `confirm_wanted` as a question. Pure.
package struct PolicyQuestion: Sendable {
    /// nil where the event names none.
    package let id: String?
    /// What is asked.
    package let title: String
    /// Which program asks.
    package let sentence: String
    private let canBeRemembered: Bool

    /// What an event asks.
    package init(_ event: EventMessage) {
        func shown(_ text: String?) -> String { TerminalText.sanitized(text ?? "?") }
        let question = EventDetails(tolerating: event.details)
        let client = shown(question.client.map(EventDetails.fullName))
        let account = shown(event.account)
        id = question.id
        canBeRemembered = question.always == true
        if let destination = question.destination {
            title = "Move “\(account)” to another provider?"
            sentence = "\(client) wants to change the sign-in: its tokens would then come from \(shown(destination))."
        } else {
            let name = question.application.map { " (it calls itself “\(shown($0))”)" } ?? ""
            title = "Allow \(shown(question.client.map(EventDetails.shortName))) to use “\(account)”?"
            sentence = "\(client)\(name) asks for a token."
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
