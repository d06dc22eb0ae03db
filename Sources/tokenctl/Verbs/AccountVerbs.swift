// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// `tokenctl account add`: takes flags; at a terminal it asks for what they leave open.
struct AccountAddVerb {
    private let conversation: Conversation
    private var invocation: Invocation { conversation.invocation }
    private var console: Console { conversation.console }

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        if invocation.has("--list-providers") { return try ProviderListVerb(conversation).run() }
        if let url = invocation.value("--providers-from") {
            return try ProvidersFromVerb(conversation, url: url).run()
        }
        let draft = try AccountInquiry(conversation).draft()
        let addition = AccountAddition(conversation)
        let replacement = invocation.has("--replace") ? try addition.replacement(by: draft) : nil
        let result = try addition.add(draft, replacement)
        conversation.finish(result) {
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
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        let console = conversation.console
        let result = try conversation.ask(AccountList.self, NoParameters())
        conversation.finish(result) {
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
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        let account = try conversation.account()
        let result = try conversation.ask(
            AccountShow.self,
            AccountShow.Parameters(account: account),
            account: account
        )
        conversation.finish(result) {
            if let file = result["file"]?.string { conversation.console.say("# " + TerminalText.sanitized(file)) }
            let config = JSONWriter.pretty(result["config"] ?? .null)
            conversation.console.print(TerminalText.escapedJSON(config))
        }
        return ExitCode.success
    }
}

/// `tokenctl account remove`: signs out and deletes the account's file.
struct AccountRemoveVerb {
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        let account = try conversation.account()
        var params = AccountRemove.Parameters(account: account)
        if conversation.invocation.has("--keep-grant") { params.revoke = false }
        let result = try conversation.askOpeningStore(AccountRemove.self, params, account: account)
        conversation.finish(result) {
            let farewell = Farewell(result, keepsGrant: conversation.invocation.has("--keep-grant"))
            if !farewell.isNobodys { farewell.lines(account).forEach { conversation.console.say($0) } }
            conversation.console.say("The account \(TerminalText.sanitized(account)) is removed.")
        }
        return ExitCode.success
    }
}
