// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

// The existing accounts.
extension Verb {
    /// `tokenctl account list`: names, one a line.
    package static let accountList = Verb(
        "account list",
        summary: "the accounts' names, one a line",
        examples: ["tokenctl account list"]
    ) { context throws(TokenctlError) in
        let console = context.console
        let result = try context.ask(AccountList.self, NoParameters())
        context.finish(result) {
            let names = result.accounts
            let standard = result.defaultAccount
            for name in names {
                let mark = name == standard && console.traits.outputIsTerminal ? "  (default)" : ""
                console.print(TerminalText.sanitized(name) + mark)
            }
            if names.isEmpty {
                console.say("No account yet. Make one and sign in:")
                console.sayNext([Advice.addAnAccount()])
            }
        }
        return ExitCode.success
    }

    /// `tokenctl account show`: the settings on stdout, where they come from on stderr.
    package static let accountShow = Verb(
        "account show",
        operands: [.account],
        summary: "an account's settings",
        examples: ["tokenctl account show work"]
    ) { context throws(TokenctlError) in
        let account = try context.account()
        let result = try context.ask(
            AccountShow.self,
            AccountShow.Parameters(account: account),
            account: account
        )
        context.finish(result) {
            if !result.file.isEmpty { context.console.say("# " + TerminalText.sanitized(result.file)) }
            let config = JSONWriter.pretty(.object(result.config))
            context.console.print(TerminalText.escapedJSON(config))
        }
        return ExitCode.success
    }

    /// `tokenctl account remove`: signs out and deletes the account's file.
    package static let accountRemove = Verb(
        "account remove",
        operands: [.account.required],
        flags: .of(.keepGrant.help("do not revoke the grant at the provider")),
        summary: "sign out and delete the account's file",
        examples: ["tokenctl account remove work"]
    ) { context throws(TokenctlError) in
        let account = try context.account()
        var params = AccountRemove.Parameters(account: account)
        if context[.keepGrant] { params.revoke = false }
        let result = try context.askOpeningStore(AccountRemove.self, params, account: account)
        context.finish(result) {
            let farewell = Farewell(result.result, keepsGrant: context[.keepGrant])
            if !farewell.isNobodys { farewell.lines(account).forEach { context.console.say($0) } }
            context.console.say("The account \(TerminalText.sanitized(account)) is removed.")
        }
        try ToolLeftovers(of: account, context).offer()
        return ExitCode.success
    }
}
