// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// `tokenctl account add`: takes flags; at a terminal it asks for what they leave open.
struct AccountAddVerb {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }
    private var console: Console { context.console }

    func run() throws(TokenctlError) -> Int32 {
        if invocation.has("--list-providers") { return try ProviderListVerb(context: context).run() }
        if let url = invocation.value("--providers-from") {
            return try ProvidersFromVerb(context, url: url).run()
        }
        let draft = try AccountInquiry(context: context).draft()
        let addition = AccountAddition(context: context)
        let replacement = invocation.has("--replace") ? try addition.replacement(by: draft) : nil
        let result = try addition.add(draft, replacement)
        context.finish(result) {
            let file = result["file"]?.string.map { " (\(TerminalText.sanitized($0)))" } ?? ""
            replacement?.lines.forEach { console.say($0) }
            console.say("The account \(draft.account) is there\(file). Sign in:")
            console.sayNext(["tokenctl login \(draft.account)"])
        }
        return ExitCode.success
    }
}

/// `tokenctl account list`: names, one a line.
struct AccountListVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let console = context.console
        let result = try context.ask(AccountList.self, NoParameters())
        context.finish(result) {
            let names = (result["accounts"]?.array ?? []).compactMap(\.string)
            let standard = result["default"]?.string
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
}

/// `tokenctl account show`: the settings on stdout, where they come from on stderr.
struct AccountShowVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let account = try context.account()
        let result = try context.ask(
            AccountShow.self,
            AccountShow.Parameters(account: account),
            account: account
        )
        context.finish(result) {
            if let file = result["file"]?.string { context.console.say("# " + TerminalText.sanitized(file)) }
            let config = JSONWriter.pretty(result["config"] ?? .null)
            context.console.print(TerminalText.escapedJSON(config))
        }
        return ExitCode.success
    }
}

/// `tokenctl account remove`: signs out and deletes the account's file.
struct AccountRemoveVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let account = try context.account()
        var params = AccountRemove.Parameters(account: account)
        if context.invocation.has("--keep-grant") { params.revoke = false }
        let result = try context.askOpeningStore(AccountRemove.self, params, account: account)
        context.finish(result) {
            let farewell = Farewell(result, keepsGrant: context.invocation.has("--keep-grant"))
            if !farewell.isNobodys { farewell.lines(account).forEach { context.console.say($0) } }
            context.console.say("The account \(TerminalText.sanitized(account)) is removed.")
        }
        return ExitCode.success
    }
}
