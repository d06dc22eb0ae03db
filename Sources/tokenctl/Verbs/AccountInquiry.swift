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
        let named = try AccountDraft.place(invocation)
        var tools = try invocation.tools()
        let place: AccountDraft.Place
        if let named { place = named } else { (place, tools) = try askedPlace(tools) }
        let account = try accountName(at: place)
        if case .provider(let name, let set) = place {
            return try presetDraft(account, name, set, named == nil ? tools : nil)
        }
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
        return try presetDraft(account, name, set, nil)
    }

    /// Of the flags alone; what a preset needs and they lack is an error that says how to come by it.
    private func scriptedDraft() throws(TokenctlError) -> AccountDraft {
        let draft = try AccountDraft(invocation)
        let tools = try invocation.tools()
        guard case .provider(let name, let set) = draft.place else {
            guard tools.isEmpty else { throw .usage("--tool goes with --provider; with --issuer, take --scope") }
            return draft
        }
        guard draft.clientID == nil || !tools.isEmpty else { return draft }
        let guide = try PresetGuide(named: name, context)
        let scopes = try guide.scopes(for: tools, beside: invocation.scopes)
        guard draft.clientID == nil, guide.needsClientID, !invocation[.register] else {
            return try AccountDraft(
                account: draft.account,
                place: .provider(name, set: set),
                clientID: draft.clientID,
                scopes: scopes,
                invocation: invocation
            )
        }
        guide.tellRegistration(console, for: tools)
        throw .usage(
            "\(invocation.verb.name) needs --client-id ID for \(TerminalText.sanitized(name))",
            next: ["tokenctl \(invocation.verb.name) --help"]
        )
    }

    /// The name that was given, or that the user answers: none that is taken already.
    private func accountName(at place: AccountDraft.Place) throws(TokenctlError) -> String {
        if let name = invocation.account { return name }
        let taken = invocation[.replace] ? nil : try? context.ask(AccountList.self, NoParameters())
        let names = taken?.accounts ?? []
        var standard = if case .provider(let name, _) = place { name } else { "work" }
        if names.contains(standard) { standard = "" }
        let example = standard.isEmpty ? ", such as work:" : " [\(standard)]:"
        let text = try answer("A name of your own for the account\(example)", optional: !standard.isEmpty) { name in
            guard !name.isEmpty else { return nil }
            guard AccountName.isValid(name) else {
                return "A name has only letters, digits and . _ @ -, and at most 64 of them."
            }
            return names.contains(name) ? "There is an account “\(name)” already." : nil
        }
        return text.isEmpty ? standard : text
    }

    /// Asks what the account is for, unless that was said, and which provider it is at.
    private func askedPlace(_ tools: [ToolKind]) throws(TokenctlError) -> (AccountDraft.Place, [ToolKind]) {
        let presets = try PresetGuide.all(context)
        let guides = presets.map { PresetGuide($0) }
        let known = ToolKind.allCases.filter { kind in guides.contains { $0.tool(kind) != nil } }
        let tools = tools.isEmpty && invocation.scopes.isEmpty ? try askedTools(among: known) : tools
        let names = guides.filter { guide in !tools.isEmpty && tools.allSatisfy { guide.tool($0) != nil } }
            .map { TerminalText.sanitized($0.preset.provider) }
        let question =
            names.isEmpty
            ? "Which provider (such as google), or its issuer (https://…)?"
            : "Which provider (\(names.joined(separator: ", "))), or its issuer (https://…)?"
        let text = try answer(question) { PresetGuide.fault(of: PastedIssuer.issuer($0), among: presets) }
        return (text.contains(text: "://") ? .issuer(PastedIssuer.issuer(text)) : .provider(text, set: [:]), tools)
    }

    /// What the account is for; nothing where the user names none.
    private func askedTools(among kinds: [ToolKind]) throws(TokenctlError) -> [ToolKind] {
        guard !kinds.isEmpty else { return [] }
        let names = kinds.map(\.rawValue)
        let list = names.joined(separator: ", ")
        let text = try answer("What is it for (\(list))? Just Enter for something else:", optional: true) { typed in
            guard !typed.isEmpty, !names.contains(typed.lowercased()) else { return nil }
            let near = NearestName.of(typed.lowercased(), among: names).map { " Did you mean \($0)?" } ?? ""
            return "One of: \(list); or just Enter.\(near)"
        }
        return ToolKind(rawValue: text.lowercased()).map { [$0] } ?? []
    }

    /// Asks what the preset cannot know, and what it only assumes. `asked`: what the account is for, where the user was
    /// asked that already.
    private func presetDraft(
        _ account: String,
        _ name: String,
        _ given: JSONObject,
        _ asked: [ToolKind]?
    ) throws(TokenctlError) -> AccountDraft {
        let guide = try PresetGuide(named: name, context)
        let scopes = try presetScopes(account, guide, asked)
        func drafted(_ clientID: String?, _ set: JSONObject) throws(TokenctlError) -> AccountDraft {
            try AccountDraft(
                account: account,
                place: .provider(name, set: set),
                clientID: clientID,
                scopes: scopes.all,
                invocation: invocation
            )
        }
        var clientID = invocation[.clientID]
        let registers = clientID == nil && guide.needsClientID && !invocation[.register]
        let isOpen = guide.preset.asks.contains { given[$0.name] == nil && $0.standard != nil }
        // An account that is there has its answers already.
        let isSettled = !registers && isOpen ? isThere(try drafted(clientID, given)) : false
        let asks = !isSettled
        registers
            ? guide.tellRegistration(console, asking: asks, for: scopes.tools)
            : guide.tellAdvice(console, asking: asks, for: scopes.tools)
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

    /// The scopes of an account at a preset's provider, and what they are for. Where nothing was said of them, and the
    /// account is not there, the user is asked.
    private func presetScopes(
        _ account: String,
        _ guide: PresetGuide,
        _ asked: [ToolKind]?
    ) throws(TokenctlError) -> (all: [String], tools: [ToolKind]) {
        var tools = if let asked { asked } else { try invocation.tools() }
        let isOpen = asked == nil && tools.isEmpty && invocation.scopes.isEmpty && !guide.toolKinds.isEmpty
        if isOpen {
            let old = invocation[.replace] ? nil : try context.config(of: account)
            if old == nil { tools = try askedTools(among: guide.toolKinds) }
        }
        let scopes = try guide.scopes(for: tools, beside: invocation.scopes)
        if !tools.isEmpty {
            let names = scopes.isEmpty ? guide.preset.standardScopes : scopes
            console.say("The account asks for: \(TerminalText.sanitized(names.joined(separator: ", "), limit: 400)).")
        }
        return (scopes, tools)
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
