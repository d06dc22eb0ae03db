// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON
package import TokendProtocol

/// `tokenctl policy list`: what was answered for good.
struct PolicyListVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let result = try context.ask(PolicyList.self, NoParameters())
        context.finish(result) {
            let console = context.console
            let decisions = (result["decisions"]?.array ?? []).compactMap(\.object)
            guard !decisions.isEmpty else { return console.say("No answer is remembered.") }
            let rows = decisions.map { decision in
                ["account", "client"].map { Table.Cell(TerminalText.sanitized(decision[$0]?.string ?? "?")) }
            }
            Table(header: ["ACCOUNT", "CLIENT"], shrinkOrder: [1], wrapsLast: true)
                .lines(rows, width: console.traits.tableWidth, palette: console.traits.outputPalette).forEach(
                    console.print
                )
        }
        return ExitCode.success
    }
}

/// `tokenctl policy revoke`: forgets an answer.
struct PolicyRevokeVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let operands = context.invocation.operands
        guard operands.count == 2 else {
            throw .usage("policy revoke needs an account and a client", next: ["tokenctl policy list"])
        }
        let parameters = PolicyRevoke.Parameters(account: operands[0], client: operands[1])
        let result = try context.ask(PolicyRevoke.self, parameters, account: operands[0])
        context.finish(result) {
            let client = TerminalText.sanitized(operands[1])
            context.console.say("Forgotten; \(client) is asked about again.")
        }
        return ExitCode.success
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
