// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// What the daemon knows of one provider, in words for the person who makes an account there.
struct PresetGuide {
    let preset: PresetDescription

    /// Asks the daemon for the preset.
    ///
    /// - Throws: `usage` with the nearest name where there is none, `config_invalid` where it is broken.
    init(named name: String, _ conversation: Conversation) throws(TokenctlError) {
        let presets = try Self.all(conversation)
        guard let preset = presets.first(where: { $0.provider == name }) else {
            let near = NearestName.of(name, among: presets.map(\.provider))
                .map { "; did you mean \(TerminalText.sanitized($0))?" }
            throw .usage(
                "tokend knows no provider “\(TerminalText.sanitized(name, limit: 60))”\(near ?? "")",
                next: ["tokenctl account add --list-providers"]
            )
        }
        if let fault = preset.fault {
            throw TokenctlError(
                .init(rawValue: "config_invalid"),
                exitCode: ErrorKind.configInvalid.exitCode,
                TerminalText.sanitized(fault, limit: 400)
            )
        }
        self.preset = preset
    }

    /// All presets of the daemon.
    static func all(_ conversation: Conversation) throws(TokenctlError) -> [PresetDescription] {
        let result = try conversation.ask(ProviderList.self, NoParameters())
        do throws(ProtocolError) {
            return try ProviderList.Result(json: result).providers
        } catch {
            throw TokenctlError(.init(rawValue: error.kind.rawValue), exitCode: error.kind.exitCode, error.message)
        }
    }

    /// Whether a person has to register an application: presets of one's own may bring its ID along, and some providers
    /// register one by themselves.
    var needsClientID: Bool { preset.account["client_id"] == nil && !preset.registersClients }

    /// Whether the provider wants a secret of the client.
    var wantsSecret: Bool {
        preset.account["client_authentication"]?.string?.hasPrefix("client_secret_") ?? false
    }

    /// Says what to register where, and what to know before.
    func tellRegistration(_ console: Console) {
        console.tell(Self.shown("\(preset.title): register an application of your own there first."))
        let rows = [
            ("  where         ", preset.registerURL), ("  as            ", preset.registerAs),
            ("  redirect URI  ", preset.redirect),
        ]
        for (label, text) in rows {
            if let text { console.tell(Self.shown(text), first: label) }
        }
        tellPoints(console)
    }

    /// Says what to know before the first sign-in, where there is nothing to register any more.
    func tellAdvice(_ console: Console) {
        guard !points.isEmpty else { return }
        console.say(Self.shown("\(preset.title):"))
        tellPoints(console)
    }

    private func tellPoints(_ console: Console) {
        for point in points { console.tell(Self.shown(point), first: "  - ") }
    }

    private var points: [String] {
        preset.notes
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
