// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
package import TokendProtocol

/// A kind of tool that accounts are made for. What it needs at a provider is in the provider's preset.
package enum ToolKind: String, Sendable, CaseIterable {
    case git, mail, calendar, kubernetes

    static let names = allCases.map(\.rawValue)

    /// Programs that `setup` sets up for it.
    fileprivate var programs: [String] {
        switch self {
        case .git: ["git"]
        case .mail: ["neomutt", "mbsync", "msmtp"]
        case .calendar: []
        case .kubernetes: ["kubectl"]
        }
    }
}

/// A sentence, and the commands that go with it.
package struct SetupAdvice: Sendable, Equatable {
    /// The sentence.
    package let sentence: String
    /// The commands.
    package let steps: [String]

    init(_ sentence: String, _ steps: [String]) {
        self.sentence = sentence
        self.steps = steps
    }
}

/// What an account has, beside what its provider's preset says that tools need there. Pure.
package struct ToolNeeds: Sendable {
    private let account: String
    private let status: AccountStatus
    private let config: [String]
    private let preset: PresetDescription

    /// - Parameters:
    ///   - config: the scopes of the account's settings.
    ///   - preset: the preset that the account builds on.
    package init(account: String, status: AccountStatus, config: [String], preset: PresetDescription) {
        self.account = account
        self.status = status
        self.config = config
        self.preset = preset
    }

    /// What the preset says of a kind; nil where it does not know it.
    package func tool(_ kind: ToolKind) -> PresetDescription.Tool? {
        preset.tools.first { $0.tool == kind.rawValue }
    }

    /// The scope that has a token be for this kind's API, where a provider's scopes choose it.
    func tokenScope(_ kind: ToolKind) -> String? { preset.choosesResourceByScope ? tool(kind)?.scopes.first : nil }

    private var isSignedOut: Bool { status.state == .signedOut }

    /// The scopes that the kind needs and the account does not have, or does not ask for yet.
    package func missing(_ kind: ToolKind) -> [String] {
        guard let tool = tool(kind) else { return [] }
        let granted = isSignedOut ? nil : status.scope?.split(separator: " ").map(String.init)
        // The granted scope of such an account is that of one of its APIs.
        let held = preset.choosesResourceByScope ? (granted ?? []) + config : granted ?? config
        return tool.scopes.filter { !held.contains($0) }
    }

    /// What to say once a tool is set up, and the commands that go with it.
    package func advice(_ kind: ToolKind) -> SetupAdvice? {
        let missing = missing(kind)
        guard !missing.isEmpty else {
            return isSignedOut ? SetupAdvice("You are not signed in to \(account) yet:", [loginStep()]) : nil
        }
        let names = missing.map { TerminalText.sanitized($0) }.joined(separator: " and ")
        let noun = missing.count == 1 ? "scope" : "scopes"
        let note = tool(kind)?.note.map { " Before that: \(TerminalText.sanitized($0))." } ?? ""
        let title = TerminalText.sanitized(preset.title)
        return SetupAdvice(
            "\(title) needs the \(noun) \(names) for \(kind.rawValue), which \(account) does not have yet.\(note)",
            [loginStep(missing)]
        )
    }

    /// The commands that ask for what further kinds of tools need.
    var furtherSteps: [String] {
        ToolKind.allCases.compactMap { kind in
            let missing = missing(kind)
            return missing.isEmpty ? nil : "\(loginStep(missing))   (for \(kind.rawValue))"
        }
    }

    private func loginStep(_ scopes: [String] = []) -> String {
        let login = "tokenctl login \(ShellWord.quoted(account))"
        guard !scopes.isEmpty else { return login }
        let words = scopes.map { TerminalText.sanitized($0, limit: 200) }.joined(separator: " ")
        return "\(login) \(Flag.scope.name) \(ShellWord.quoted(words))"
    }

    /// What to do after a sign-in: set up the installed tools that the account was made for; nothing where none fits.
    package func stepsAfterSignIn(isInstalled: (String) -> Bool) -> [String] {
        let standard = preset.standardScopes
        let fitting = ToolKind.allCases.filter { tool($0) != nil && missing($0).isEmpty }
        let chosen = fitting.filter { tool($0)?.scopes.allSatisfy(standard.contains) == false }
        return (chosen.isEmpty ? fitting : chosen).flatMap { kind in
            kind.programs.filter(isInstalled).map { "tokenctl setup \($0) \(ShellWord.quoted(account))" }
        }
    }
}

extension PresetDescription {
    /// The scopes that an account gets without asking for others.
    var standardScopes: [String] { account[.scopes]?.array?.compactMap(\.string) ?? [] }

    fileprivate var choosesResourceByScope: Bool {
        account["dialect"]?.object?["scopes_choose_resource"]?.bool ?? false
    }
}

extension CommandContext {
    /// What tools need of that account; nil where it builds on no preset, or the daemon does not say.
    func toolNeeds(_ account: String, _ status: AccountStatus) -> ToolNeeds? {
        guard let shown = try? ask(AccountShow.self, AccountShow.Parameters(account: account), account: account),
            let name = shown.provider ?? shown.config[.provider]?.string,
            let preset = try? PresetGuide.all(self).first(where: { $0.provider == name })
        else { return nil }
        let own = shown.config[.scopes]?.array?.compactMap(\.string)
        return ToolNeeds(account: account, status: status, config: own ?? preset.standardScopes, preset: preset)
    }
}

extension Flag<[String]> {
    static var tool: Flag {
        Flag(
            "--tool",
            repeating: .word("TOOL", of: ToolKind.names),
            "also ask for what git, mail, calendar or kubernetes needs"
        )
    }
}

extension Invocation {
    /// The kinds of tools that were named.
    func tools() throws(TokenctlError) -> [ToolKind] {
        var kinds: [ToolKind] = []
        for typed in self[.tool] ?? [] {
            guard let kind = ToolKind(rawValue: typed) else {
                let near = NearestName.of(typed, among: ToolKind.names).map { "; did you mean \($0)?" } ?? ""
                let shown = TerminalText.sanitized(typed, limit: 60)
                throw .usage(
                    "--tool knows no “\(shown)”\(near)",
                    next: ["one of \(ToolKind.names.joined(separator: ", "))"]
                )
            }
            kinds.append(kind)
        }
        return kinds
    }
}
