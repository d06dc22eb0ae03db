// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import TokendProtocol

/// Makes a draft of an account: of the flags, and at a terminal of what a user answers to what they leave open.
struct AccountInquiry {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }
    private var console: Console { context.console }

    /// The draft, for `account add`: everything is asked for.
    func draft() throws(TokenctlError) -> AccountDraft {
        guard console.traits.isInteractive else { return try scriptedDraft() }
        let account = try accountName()
        let named = try AccountDraft.place(invocation)
        let place = if let named { named } else { try askedPlace() }
        if case .provider(let name, let set) = place { return try presetDraft(account, name, set) }
        var clientID = invocation[.clientID]
        if clientID == nil, !invocation[.register] { clientID = try answer("The client id that it gave out:") }
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
        let guide = try PresetGuide(named: name, context)
        guard guide.needsClientID, !invocation[.register] else { return draft }
        guide.tellRegistration(console)
        throw .usage(
            "\(invocation.verb.name) needs --client-id ID for \(TerminalText.sanitized(name))",
            next: ["tokenctl \(invocation.verb.name) --help"]
        )
    }

    /// The name that was given, or that the user answers: none that is taken already.
    private func accountName() throws(TokenctlError) -> String {
        if let name = invocation.account { return name }
        let taken = invocation[.replace] ? nil : try? context.ask(AccountList.self, NoParameters())
        let names = taken?.accounts ?? []
        return try answer("A name for the account, such as work:") { name in
            guard AccountName.isValid(name) else { return "A name has letters, digits and . _ @ - alone, 64 at most." }
            return names.contains(name) ? "There is an account “\(name)” already." : nil
        }
    }

    private func askedPlace() throws(TokenctlError) -> AccountDraft.Place {
        let presets = try PresetGuide.all(context)
        let text = try answer("A provider (such as google), or its issuer (https://…):") {
            PresetGuide.fault(of: $0, among: presets)
        }
        return text.contains(text: "://") ? .issuer(text) : .provider(text, set: [:])
    }

    /// Asks what the preset cannot know, and what it only assumes.
    private func presetDraft(_ account: String, _ name: String, _ given: JSONObject) throws(TokenctlError)
        -> AccountDraft
    {
        let guide = try PresetGuide(named: name, context)
        func drafted(_ clientID: String?, _ set: JSONObject) throws(TokenctlError) -> AccountDraft {
            try AccountDraft(
                account: account,
                place: .provider(name, set: set),
                clientID: clientID,
                scopes: invocation.scopes,
                invocation: invocation
            )
        }
        var clientID = invocation[.clientID]
        let registers = clientID == nil && guide.needsClientID && !invocation[.register]
        let isOpen = guide.preset.asks.contains { given[$0.name] == nil && $0.standard != nil }
        // An account that is there has its answers already.
        let isSettled = !registers && isOpen ? isThere(try drafted(clientID, given)) : false
        let asks = !isSettled
        registers ? guide.tellRegistration(console, asking: asks) : guide.tellAdvice(console, asking: asks)
        var set = given
        for question in guide.preset.asks where set[question.name] == nil && (asks || question.standard == nil) {
            set[question.name] = try answer(to: question).map { .string($0) }
        }
        if registers { clientID = try answer("The client id that it gave out:") }
        var draft = try drafted(clientID, set)
        if guide.wantsSecret, !invocation.has(.clientSecretFile), !isThere(draft) {
            draft.clientSecret = try SecretInput(console, "the client secret").ask(
                watching: context.takeOverSignals()
            )
        }
        return draft
    }

    /// Whether the account is there with these settings: then its secret was given already.
    private func isThere(_ draft: AccountDraft) -> Bool {
        guard !invocation[.replace] else { return false }
        let params = AccountShow.Parameters(account: draft.account)
        let shown = try? context.ask(AccountShow.self, params, account: draft.account)
        return shown.map { draft.matches($0.config) } ?? false
    }

    /// What the user answers; nil where they leave it at what the preset assumes.
    private func answer(to question: PresetDescription.Question) throws(TokenctlError) -> String? {
        let example = question.example.map { ", such as \(TerminalText.sanitized($0))" } ?? ""
        let about = TerminalText.sanitized(question.about)
        let standard = question.standard.map { " [\(TerminalText.sanitized($0))]" } ?? ""
        let text = try answer("\(question.name) (\(about)\(example))\(standard):", optional: question.standard != nil) {
            $0.isEmpty ? nil : PresetAnswer.fault(of: $0, kind: question.kind)
        }
        return text.isEmpty || text == question.standard ? nil : text
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
            console.say(fault)
        }
        throw .usage("the account was not made", next: ["tokenctl account add --help"])
    }
}
