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
        let draft = console.traits.isInteractive ? try askedDraft() : try AccountDraft(invocation)
        let replacing = invocation.has("--replace")
        let result = try AccountAddition(conversation).add(draft, replacing: replacing)
        conversation.finish(result) {
            let file = result["file"]?.string.map { " (\(TerminalText.sanitized($0)))" } ?? ""
            console.say("The account \(draft.account) is there\(file). Sign in:")
            console.sayNext(["tokenctl login \(draft.account)"])
        }
        return ExitCode.success
    }

    private func askedDraft() throws(TokenctlError) -> AccountDraft {
        let account = try given(invocation.account, orAsk: "A name for the account, such as work:")
        let issuer = try given(invocation.value("--issuer"), orAsk: "The provider's issuer (https://…):")
        let isRegistered = invocation.has("--register")
        let clientID =
            isRegistered ? nil : try given(invocation.value("--client-id"), orAsk: "The client id that it gave out:")
        var scopes = invocation.scopes
        if scopes.isEmpty, !AccountDraft.isDrafted(by: invocation) {
            let text = try answer("Scopes, with spaces between [openid]:", optional: true)
            scopes = text.isEmpty ? ["openid"] : text.split(separator: " ").map(String.init)
        }
        return try AccountDraft(
            account: account,
            issuer: issuer,
            clientID: clientID,
            scopes: scopes,
            invocation: invocation
        )
    }

    private func given(_ value: String?, orAsk question: String) throws(TokenctlError) -> String {
        if let value { return value }
        return try answer(question)
    }

    private func answer(_ question: String, optional: Bool = false) throws(TokenctlError) -> String {
        while let line = console.ask(question) {
            let words = line.split(whereSeparator: \.isWhitespace)
            if !words.isEmpty || optional { return words.joined(separator: " ") }
        }
        throw .usage("the account was not made", next: ["tokenctl account add --help"])
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
            if !farewell.isNobodys { farewell.lines(account).forEach(conversation.console.say) }
            conversation.console.say("The account \(TerminalText.sanitized(account)) is removed.")
        }
        return ExitCode.success
    }
}
