// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// One verb of `tokenctl` as a value: its syntax, its help and its action. Each has a file of its own (or with similar
/// ones), and one line in `sections`.
package struct Verb: Sendable {
    /// The action; returns the exit code.
    typealias Action = @Sendable (CommandContext) throws(TokenctlError) -> Int32
    /// The next step after an error; nil if it needs an account that is unknown.
    typealias Step = @Sendable (_ account: String?) -> String?

    /// One or two words.
    package let name: String
    /// Its operands.
    package let operands: [Operand]
    /// What may follow `--`.
    package let tail: Tail
    /// Its flags, except `--json`.
    package let flags: [FlagSyntax]
    /// Whether it has a result: those that become another program, answer one or run until Ctrl-C do not.
    let hasResult: Bool
    /// Half a line for the list of verbs.
    package let summary: String
    /// Whole sentences for the verb's own help.
    package let details: [String]
    /// Complete, working command lines.
    package let examples: [String]
    /// The next step after an error of that kind, if it differs from other verbs'.
    let advice: [TokenctlError.Code: Step]
    /// Whether an unknown account may be one to create.
    let makesAccounts: Bool
    let action: Action

    init(
        _ name: String,
        operands: [Operand] = [],
        tail: Tail = .none,
        flags: [FlagSyntax] = [],
        hasResult: Bool = true,
        summary: String,
        details: [String] = [],
        examples: [String],
        advice: [TokenctlError.Code: Step] = [:],
        makesAccounts: Bool = false,
        action: @escaping Action
    ) {
        self.name = name
        self.operands = operands
        self.tail = tail
        self.flags = flags
        self.hasResult = hasResult
        self.summary = summary
        self.details = details
        self.examples = examples
        self.advice = advice
        self.makesAccounts = makesAccounts
        self.action = action
    }

    /// The flag of that name, if the verb has it.
    package func flag(named name: String) -> FlagSyntax? {
        allFlags.first { $0.name == name }
    }

    /// Its own flags, and `--json` where it has a result to print.
    package var allFlags: [FlagSyntax] { flags + (hasResult ? [Flag<Bool>.json.syntax] : []) }
}

extension Verb: Hashable {
    package static func == (one: Verb, other: Verb) -> Bool { one.name == other.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
