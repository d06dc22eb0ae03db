// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl policy list`: what was answered for good.
    package static let policyList = Verb(
        "policy list",
        summary: "the programs that you always allow",
        details: ["Those that you answered “Always” for, where an account asks (`confirm`)."],
        examples: ["tokenctl policy list"]
    ) { context throws(TokenctlError) in
        let result = try context.ask(PolicyList.self, NoParameters())
        context.finish(result) {
            let console = context.console
            let decisions = result.decisions
            guard !decisions.isEmpty else { return console.say("No answer is remembered.") }
            let rows = decisions.map { decision in
                [decision.account, decision.client].map { Table.Cell($0.isEmpty ? "?" : TerminalText.sanitized($0)) }
            }
            Table(header: ["ACCOUNT", "CLIENT"], shrinkOrder: [1], wrapsLast: true)
                .lines(rows, width: console.traits.tableWidth, palette: console.traits.outputPalette).forEach(
                    console.print
                )
        }
        return ExitCode.success
    }

    /// `tokenctl policy revoke`: forgets an answer.
    package static let policyRevoke = Verb(
        "policy revoke",
        operands: [.account.checked, .text("CLIENT").checked],
        summary: "ask about a program again",
        details: ["Takes back an answer “Always”. tokenctl policy list shows them."],
        examples: ["tokenctl policy revoke work exe:/usr/bin/mbsync"],
        advice: [.invalidParams: { _ in "tokenctl policy list" }]
    ) { context throws(TokenctlError) in
        let operands = context.operands
        guard operands.count == 2 else {
            throw .usage("policy revoke needs an account and a client", next: ["tokenctl policy list"])
        }
        let parameters = PolicyRevoke.Parameters(account: operands[0], client: operands[1])
        let result = try context.ask(PolicyRevoke.self, parameters, account: operands[0])
        context.finish(result) {
            let client = TerminalText.sanitized(operands[1])
            context.console.say("Forgotten. You are asked about \(client) again.")
        }
        return ExitCode.success
    }
}
