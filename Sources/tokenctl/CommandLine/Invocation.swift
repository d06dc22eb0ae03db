// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A command line that was understood.
package struct Invocation: Sendable, Equatable {
    /// What is to be done.
    package let verb: Verb.Name
    /// What stood without a dash; for most verbs an account's name.
    package let operands: [String]
    /// What stood after `--`, for the verbs that hand it to another program.
    package let tail: [SystemText]
    /// Every flag that was given with its values, in their order; a switch has an empty list.
    package let values: [String: [String]]

    /// A command line as it was understood.
    package init(verb: Verb.Name, operands: [String] = [], tail: [SystemText] = [], values: [String: [String]] = [:]) {
        self.verb = verb
        self.operands = operands
        self.tail = tail
        self.values = values
    }

    /// The account that was named.
    package var account: String? {
        if verb.isCredentialHelper { return value("--account") }
        if verb == .setup { return operands.dropFirst().first }
        return [.callback, .completion, .help, .forward, .policyRevoke].contains(verb) ? nil : operands.first
    }

    /// Whether programs read the output.
    package var wantsJSON: Bool { has(Verb.json.name) }

    /// Whether the switch was given.
    package func has(_ flag: String) -> Bool { values[flag] != nil }

    /// The value of a flag that is given at most once.
    package func value(_ flag: String) -> String? { values[flag]?.last }

    /// The scopes of all `--scope` flags; one may hold several, with spaces or commas between.
    package var scopes: [String] {
        var seen: Set<String> = []
        return (values["--scope"] ?? [])
            .flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init) }
            .filter { seen.insert($0).inserted }
    }
}
