// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import TokendProtocol

/// Makes a draft of an account: of the flags, and at a terminal of what a person answers to what they leave open.
struct AccountInquiry {
    private let conversation: Conversation
    private var invocation: Invocation { conversation.invocation }
    private var console: Console { conversation.console }

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    /// The draft, for `account add`: everything is asked for.
    func draft() throws(TokenctlError) -> AccountDraft {
        guard console.traits.isInteractive else { return try scriptedDraft() }
        let account = try given(invocation.account, orAsk: "A name for the account, such as work:")
        var place = try AccountDraft.place(invocation)
        if place == nil {
            let text = try answer("A provider (such as google), or its issuer (https://…):")
            place = text.contains("://") ? .issuer(text) : .provider(text, set: [:])
        }
        if case .provider(let name, let set)? = place { return try presetDraft(account, name, set) }
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
            place: place,
            clientID: clientID,
            scopes: scopes,
            invocation: invocation
        )
    }

    /// The draft, for `login`: only what a preset needs is asked for.
    func loginDraft() throws(TokenctlError) -> AccountDraft {
        guard console.traits.isInteractive, let account = invocation.account,
            case .provider(let name, let set)? = try AccountDraft.place(invocation)
        else { return try scriptedDraft() }
        return try presetDraft(account, name, set)
    }

    /// Of the flags alone; what a preset needs and they lack is an error that says how to come by it.
    private func scriptedDraft() throws(TokenctlError) -> AccountDraft {
        let draft = try AccountDraft(invocation)
        guard case .provider(let name, _) = draft.place, draft.clientID == nil else { return draft }
        let guide = try PresetGuide(named: name, conversation)
        guard guide.needsClientID, !invocation.has("--register") else { return draft }
        guide.tellRegistration(console)
        throw .usage(
            "\(invocation.verb.rawValue) needs --client-id ID for \(TerminalText.sanitized(name))",
            next: ["tokenctl \(invocation.verb.rawValue) --help"]
        )
    }

    /// Asks what the preset cannot know.
    private func presetDraft(_ account: String, _ name: String, _ given: JSONObject) throws(TokenctlError)
        -> AccountDraft
    {
        let guide = try PresetGuide(named: name, conversation)
        var clientID = invocation.value("--client-id")
        let registers = clientID == nil && guide.needsClientID && !invocation.has("--register")
        registers ? guide.tellRegistration(console) : guide.tellAdvice(console)
        var set = given
        for question in guide.preset.asks where set[question.name] == nil && question.standard == nil {
            let example = question.example.map { ", such as \(TerminalText.sanitized($0))" } ?? ""
            let about = TerminalText.sanitized(question.about)
            set[question.name] = .string(
                try answer("\(question.name) (\(about)\(example)):") { PresetAnswer.fault(of: $0, kind: question.kind) }
            )
        }
        if registers { clientID = try answer("The client id that it gave out:") }
        var draft = try AccountDraft(
            account: account,
            place: .provider(name, set: set),
            clientID: clientID,
            scopes: invocation.scopes,
            invocation: invocation
        )
        if guide.wantsSecret, !invocation.has("--client-secret-file"), !isThere(draft) {
            draft.clientSecret = try SecretInput(console, "the client secret").ask(
                watching: conversation.takeOverSignals()
            )
        }
        return draft
    }

    /// Whether the account is there with these settings: then its secret was given already.
    private func isThere(_ draft: AccountDraft) -> Bool {
        guard !invocation.has("--replace") else { return false }
        let params = AccountShow.Parameters(account: draft.account)
        let shown = try? conversation.ask(AccountShow.self, params, account: draft.account)
        return shown?["config"]?.object.map(draft.matches) ?? false
    }

    private func given(_ value: String?, orAsk question: String) throws(TokenctlError) -> String {
        if let value { return value }
        return try answer(question)
    }

    /// `fault`: why an answer will not do; the question is put again then.
    private func answer(
        _ question: String,
        optional: Bool = false,
        fault: (String) -> String? = { _ in nil }
    ) throws(TokenctlError) -> String {
        while let line = console.ask(question) {
            let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard !words.isEmpty || optional else { continue }
            guard let fault = fault(words) else { return words }
            console.tell(fault)
        }
        throw .usage("the account was not made", next: ["tokenctl account add --help"])
    }
}
