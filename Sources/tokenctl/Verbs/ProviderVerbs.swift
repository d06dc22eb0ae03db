// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// `tokenctl account add --list-providers`: what the daemon has presets for.
struct ProviderListVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let console = context.console
        if context.invocation.wantsJSON {
            console.printJSON(.object(try context.ask(ProviderList.self, NoParameters()).json))
            return ExitCode.success
        }
        let rows = try PresetGuide.all(context).map { PresetGuide($0).row }
        let table = Table(header: ["PROVIDER", "NEEDS", "FOR"], shrinkOrder: [2], wrapsLast: true)
        table.lines(rows, width: console.traits.tableWidth, palette: console.traits.outputPalette).forEach(
            console.print
        )
        return ExitCode.success
    }
}

/// `tokenctl account add --providers-from URL`: the accounts that an application's server suggests.
struct ProvidersFromVerb {
    private let context: CommandContext
    private let url: String
    private var console: Console { context.console }

    init(_ context: CommandContext, url: String) {
        self.context = context
        self.url = url
    }

    /// What became of the suggestions, by account.
    private struct Outcome {
        var added: [String] = []
        var unchanged: [String] = []
        var kept: [String] = []
        /// What to say of those that others were replaced by.
        var notes: [String: [String]] = [:]
    }

    func run() throws(TokenctlError) -> Int32 {
        let result = try context.ask(ProviderFetch.self, ProviderFetch.Parameters(url: url))
        let list: ProviderFetch.Result
        do throws(ProtocolError) {
            list = try ProviderFetch.Result(json: result.json)
        } catch {
            throw TokenctlError(
                .init(error.kind),
                exitCode: error.kind.exitCode,
                TerminalText.sanitized(error.message)
            )
        }
        var outcome = Outcome()
        for suggestion in try wanted(of: list) {
            do throws(TokenctlError) {
                try take(suggestion, &outcome)
            } catch {
                throw Self.leaving(outcome.added, error)
            }
        }
        if context.invocation.wantsJSON {
            console.printJSON(.object(Self.json(outcome, list)))
        } else {
            tell(outcome, list)
        }
        return ExitCode.success
    }

    /// All of the list, or the one account that was named.
    private func wanted(of list: ProviderFetch.Result) throws(TokenctlError) -> [ProviderFetch.Result.Suggestion] {
        guard list.note == nil, let name = context.invocation.account else { return list.providers }
        let found = list.providers.filter { $0.account == name }
        guard found.isEmpty else { return found }
        let names = list.providers.map { TerminalText.sanitized($0.account) }.joined(separator: ", ")
        throw .usage("the list has no “\(TerminalText.sanitized(name))”; it has: \(names.isEmpty ? "nothing" : names)")
    }

    private func take(
        _ suggestion: ProviderFetch.Result.Suggestion,
        _ outcome: inout Outcome
    ) throws(TokenctlError) {
        let name = suggestion.account
        var params = AccountAdd.Parameters(account: name, config: suggestion.config)
        if context[.replace] {
            let replacement = Self.replacement(of: try context.config(of: name), suggestion)
            params.config = replacement.config
            params.replace = true
            outcome.notes[name] = replacement.lines
        }
        do throws(TokenctlError) {
            _ = try context.ask(AccountAdd.self, params, account: name)
            outcome.added.append(name)
        } catch {
            guard error.code == .accountExists else { throw error }
            // An account whose file has faults may not be shown; then it is another one.
            if let old = try? context.config(of: name), Self.replacement(of: old, suggestion).config == old {
                outcome.unchanged.append(name)
            } else {
                outcome.kept.append(name)
            }
        }
    }

    /// What a list says never decides who may use a token: that stays, and so does what else it cannot say.
    private static func replacement(
        of old: JSONObject?,
        _ suggestion: ProviderFetch.Result.Suggestion
    ) -> AccountReplacement {
        AccountReplacement(of: old, by: suggestion.config, saying: Set(ProviderFetch.settings))
    }

    /// The accounts that were made before one could not be.
    private static func leaving(_ added: [String], _ failure: TokenctlError) -> TokenctlError {
        guard !added.isEmpty else { return failure }
        var error = failure
        let names = added.map { TerminalText.sanitized($0) }
        error.aftermath = "Made before that, and there now: \(names.joined(separator: ", "))."
        return error
    }

    private func tell(_ outcome: Outcome, _ list: ProviderFetch.Result) {
        if let note = list.note { console.say(TerminalText.sanitized(note, limit: 400) + ".") }
        for reason in list.refused { console.say("Skipped: \(TerminalText.sanitized(reason, limit: 400)).") }
        func shown(_ name: String) -> String { TerminalText.sanitized(name) }
        for name in outcome.added {
            console.say("The account \(shown(name)) is made.")
            outcome.notes[name]?.forEach { console.say($0) }
        }
        for name in outcome.unchanged { console.say("The account \(shown(name)) has the list's settings already.") }
        for name in outcome.kept { console.say("The account \(shown(name)) has other settings, and keeps them.") }
        if outcome.added.isEmpty { console.say("Nothing was changed.") }
        console.sayNext(outcome.added.map { "tokenctl login \(ShellWord.quoted(shown($0)))" })
        let list = ShellWord.quoted(TerminalText.sanitized(url, limit: 400))
        console.sayNext(
            outcome.kept.map {
                "tokenctl account add \(ShellWord.quoted(shown($0))) --providers-from \(list) --replace"
            }
        )
    }

    private static func json(_ outcome: Outcome, _ list: ProviderFetch.Result) -> JSONObject {
        func names(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
        var object: JSONObject = [
            "added": names(outcome.added), "unchanged": names(outcome.unchanged), "kept": names(outcome.kept),
            "refused": names(list.refused),
        ]
        object["note"] = list.note.map { .string($0) }
        return object
    }
}
