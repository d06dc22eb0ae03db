// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON
import TokenClient
package import TokendProtocol

/// `tokenctl policy list`: what was answered for good.
struct PolicyListVerb {
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        let result = try conversation.ask(PolicyList.self, NoParameters())
        conversation.finish(result) {
            let console = conversation.console
            let decisions = (result["decisions"]?.array ?? []).compactMap(\.object)
            guard !decisions.isEmpty else { return console.say("No answer is remembered.") }
            let rows = decisions.map { decision in
                ["account", "client"].map { Table.Cell(TerminalText.sanitized(decision[$0]?.string ?? "?")) }
            }
            Table(header: ["ACCOUNT", "CLIENT"], shrinkOrder: [1])
                .lines(rows, width: console.traits.width, palette: console.traits.outputPalette).forEach(console.print)
        }
        return ExitCode.success
    }
}

/// `tokenctl policy revoke`: forgets an answer.
struct PolicyRevokeVerb {
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        let operands = conversation.invocation.operands
        guard operands.count == 2 else {
            throw .usage("policy revoke needs an account and a client", next: ["tokenctl policy list"])
        }
        let parameters = PolicyRevoke.Parameters(account: operands[0], client: operands[1])
        let result = try conversation.ask(PolicyRevoke.self, parameters, account: operands[0])
        conversation.finish(result) {
            let client = TerminalText.sanitized(operands[1])
            conversation.console.say("Forgotten; \(client) is asked about again.")
        }
        return ExitCode.success
    }
}

/// `tokenctl policy answer`: puts the daemon's questions to who sits here, where no desktop does.
struct PolicyAnswerVerb {
    private let conversation: Conversation
    private var console: Console { conversation.console }

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        guard console.traits.isInteractive else {
            throw .usage("policy answer asks a person, and there is no terminal here")
        }
        let interruption = conversation.takeOverSignals()
        _ = try conversation.ask(EventsSubscribe.self, EventsSubscribe.Parameters(confirms: true))
        console.say("Waiting for programs that ask; Ctrl-C ends.")
        while true {
            let event = try nextEvent(interruption)
            if let signal = interruption.take() { throw .interrupted(by: signal, "nobody answers here any more") }
            guard let event, event["type"]?.string == "confirm_wanted" else { continue }
            try answer(event)
        }
    }

    private func nextEvent(_ interruption: Interruption) throws(TokenctlError) -> JSONObject? {
        let client = try conversation.client()
        do throws(TokenClientError) {
            return try client.nextEvent(until: Deadline(in: .seconds(3600)), watching: interruption.descriptor)
        } catch {
            throw conversation.translated(error, account: nil)
        }
    }

    private func answer(_ event: JSONObject) throws(TokenctlError) {
        let question = PolicyQuestion(event)
        guard let id = question.id else { return }
        console.say(question.sentence)
        guard let answer = question.answer(console.ask(question.prompt) ?? "") else {
            return console.say("That is no answer; it is left open.")
        }
        do throws(TokenctlError) {
            _ = try conversation.ask(ConfirmAnswer.self, ConfirmAnswer.Parameters(id: id, answer: answer))
        } catch {
            // It was answered elsewhere, or nobody waits any more.
            console.say(error.message)
        }
    }
}

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
