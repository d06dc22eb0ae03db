// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import TokendProtocol

/// What the daemon knows of one provider, in words for the user who makes an account there.
struct PresetGuide {
    let preset: PresetDescription

    /// Asks the daemon for the preset.
    ///
    /// - Throws: `usage` with the nearest name where there is none, `config_invalid` where it is broken.
    init(named name: String, _ context: CommandContext) throws(TokenctlError) {
        let presets = try Self.all(context)
        guard let preset = presets.first(where: { $0.provider == name }) else {
            throw .usage(
                Self.unknown(name, presets) ?? Self.unknown(name),
                next: ["tokenctl account add --list-providers"]
            )
        }
        if let fault = preset.fault {
            throw TokenctlError(
                .configInvalid,
                exitCode: ErrorKind.configInvalid.exitCode,
                TerminalText.sanitized(fault, limit: 400)
            )
        }
        self.preset = preset
    }

    /// Why a name is no provider's, with the one that was meant; nil where none is near.
    private static func unknown(_ name: String, _ presets: [PresetDescription]) -> String? {
        NearestName.of(name, among: presets.map(\.provider)).map { near in
            "\(unknown(name)); did you mean \(TerminalText.sanitized(near))?"
        }
    }

    private static func unknown(_ name: String) -> String {
        "tokend knows no provider “\(TerminalText.sanitized(name, limit: 60))”"
    }

    /// Why a provider's name, or an issuer, that a user typed will not do; nil for a good one.
    static func fault(of answer: String, among presets: [PresetDescription]) -> String? {
        if answer.contains(text: "://") { return PresetAnswer.fault(of: answer, kind: "url") }
        if let preset = presets.first(where: { $0.provider == answer }) {
            return preset.fault.map { TerminalText.sanitized($0, limit: 400) }
        }
        if let near = unknown(answer, presets) { return near }
        if answer.contains("."), PresetAnswer.fault(of: "https://" + answer, kind: "url") == nil {
            return "An issuer begins with https://; is it https://\(TerminalText.sanitized(answer))?"
        }
        let names = presets.map { TerminalText.sanitized($0.provider) }.joined(separator: ", ")
        return "\(unknown(answer)), but these: \(names)."
    }

    /// All presets of the daemon.
    static func all(_ context: CommandContext) throws(TokenctlError) -> [PresetDescription] {
        let result = try context.ask(ProviderList.self, NoParameters())
        do throws(ProtocolError) {
            return try ProviderList.Result(json: result.json).providers
        } catch {
            throw TokenctlError(
                .init(error.kind),
                exitCode: error.kind.exitCode,
                TerminalText.sanitized(error.message)
            )
        }
    }

    /// Whether a user has to register an application: presets of one's own may bring its ID along, and some providers
    /// register one by themselves.
    var needsClientID: Bool { preset.account[.clientID] == nil && !preset.registersClients }

    /// Whether the provider wants a secret of the client.
    var wantsSecret: Bool {
        preset.account[.clientAuthentication]?.string?.hasPrefix("client_secret_") ?? false
    }

    /// Says what to register where, and what to know before.
    ///
    /// - Parameters:
    ///   - asking: the user is asked what they may leave open; the flags are not named then.
    ///   - tools: what the account is for.
    func tellRegistration(_ console: Console, asking: Bool = false, for tools: [ToolKind] = []) {
        console.say(Self.shown("\(preset.title): register an application of your own there first."))
        let rows = [
            ("  where         ", preset.registerURL), ("  as            ", preset.registerAs),
            ("  redirect URI  ", preset.redirect),
        ]
        for (label, text) in rows {
            if let text { console.say(Self.shown(text), first: label) }
        }
        tell(points(asking) + notes(for: tools), console)
    }

    /// Says what to know before the first sign-in, where there is nothing to register any more.
    func tellAdvice(_ console: Console, asking: Bool, for tools: [ToolKind] = []) {
        let points = points(asking) + notes(for: tools)
        guard !points.isEmpty else { return }
        console.say(Self.shown("\(preset.title):"))
        tell(points, console)
    }

    private func tell(_ points: [String], _ console: Console) {
        for point in points { console.say(Self.shown(point), first: "  - ") }
    }

    private func notes(for tools: [ToolKind]) -> [String] {
        tools.compactMap { kind in
            tool(kind)?.note.map { "For \(kind.rawValue): \($0)" }
        }
    }

    /// What the preset says of a kind of tool; nil where it does not know it.
    func tool(_ kind: ToolKind) -> PresetDescription.Tool? { preset.tools.first { $0.tool == kind.rawValue } }

    /// The kinds of tools that the preset knows.
    var toolKinds: [ToolKind] { ToolKind.allCases.filter { tool($0) != nil } }

    /// The account's scopes for these tools, beside others that were asked for; empty leaves them to the preset.
    ///
    /// - Throws: `usage` for a tool that the preset does not know.
    func scopes(for tools: [ToolKind], beside given: [String]) throws(TokenctlError) -> [String] {
        guard !tools.isEmpty else { return given }
        var scopes = given.isEmpty ? preset.standardScopes : given
        for kind in tools {
            guard let tool = tool(kind) else {
                let known = toolKinds.map(\.rawValue).joined(separator: ", ")
                let rest = known.isEmpty ? "; name the scopes with --scope" : ", but: \(known)"
                throw .usage("tokend does not know what \(kind.rawValue) needs at \(Self.shown(preset.title))\(rest)")
            }
            scopes += tool.scopes.filter { !scopes.contains($0) }
        }
        return scopes == preset.standardScopes ? [] : scopes
    }

    private func points(_ asking: Bool) -> [String] {
        guard !asking else { return preset.notes }
        return preset.notes
            + preset.asks.compactMap { question in
                question.standard.map { "--set \(question.name)=… is \(question.about) (now \($0))" }
            }
    }

    /// The row of the table: name, title, what for, what it needs.
    var row: [Table.Cell] {
        if preset.fault != nil {
            return [Table.Cell(Self.shown(preset.provider), .strong), Table.Cell("broken", .bad)]
        }
        let asks = preset.asks.filter { $0.standard == nil }.map(\.name)
        let needs = (needsClientID ? ["client id"] : []) + (wantsSecret ? ["secret"] : []) + asks
        return [
            Table.Cell(Self.shown(preset.provider), .strong), Table.Cell(Self.shown(needs.joined(separator: ", "))),
            Table.Cell(Self.shown("\(preset.title): \(preset.about)")),
        ]
    }

    init(_ preset: PresetDescription) {
        self.preset = preset
    }

    private static func shown(_ text: String) -> String { TerminalText.sanitized(text, limit: 400) }
}
