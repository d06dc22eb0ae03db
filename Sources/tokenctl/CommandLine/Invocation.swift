// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A parsed command line.
package struct Invocation: Sendable, Equatable {
    /// The verb.
    package let verb: Verb
    /// The operands; for most verbs an account's name.
    package let operands: [String]
    /// The words after `--`, for verbs that pass them to another program.
    package let tail: [SystemText]
    /// Every given flag with its values, in their order; a switch has an empty list.
    package let values: [String: [String]]

    /// A command line after parsing.
    package init(verb: Verb, operands: [String] = [], tail: [SystemText] = [], values: [String: [String]] = [:]) {
        self.verb = verb
        self.operands = operands
        self.tail = tail
        self.values = values
    }

    /// The named account, as an operand or, for a helper that another tool runs, with `--account`.
    package var account: String? {
        guard let index = verb.accountIndex else { return self[.account] }
        return operands.indices.contains(index) ? operands[index] : nil
    }

    /// Whether JSON is requested.
    package var wantsJSON: Bool { self[.json] }

    /// Whether the flag was given.
    func has<Value>(_ flag: Flag<Value>) -> Bool { values[flag.syntax.name] != nil }

    /// Whether the switch was given.
    subscript(flag: Flag<Bool>) -> Bool { has(flag) }

    /// The text, where one was given.
    subscript(flag: Flag<String>) -> String? { values[flag.syntax.name]?.last }

    /// All texts, if one was given.
    subscript(flag: Flag<[String]>) -> [String]? { values[flag.syntax.name] }

    /// The value as the flag reads it, where one was given.
    subscript<Value>(flag: Flag<Value>) -> Value? {
        get throws(TokenctlError) {
            guard let texts = values[flag.syntax.name] else { return nil }
            return try flag.read(texts)
        }
    }
}

extension Verb {
    /// The index of the operand with the account; nil if there is none.
    var accountIndex: Int? { operands.firstIndex { $0.placeholder == .account } }
}

extension Flag<String> {
    static var account: Flag { Flag("--account", .account, "whose token; else the default account's") }
}
