// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// One thing that `tokenctl` can be asked to do, as a value: what the parser accepts, what the help says, and what is done.
/// Each stands in a file of its own (or with its like), and once in `sections`.
package struct Verb: Sendable {
    /// What is done; the result is the exit code.
    typealias Action = @Sendable (CommandContext) throws(TokenctlError) -> Int32
    /// What leads on from a fault; nil where it does not know the account that it takes.
    typealias Step = @Sendable (_ account: String?) -> String?

    /// What a user types: one word or two.
    package let name: String
    /// What may stand after it without a dash.
    package let operands: [Operand]
    /// What may stand after `--`.
    package let tail: Tail
    /// Its flags, but for `--json`.
    package let flags: [FlagSyntax]
    /// Whether it ends in a result: those that become another program, answer one or go on until Ctrl-C do not.
    let hasResult: Bool
    /// Half a line for the list of verbs.
    package let summary: String
    /// Whole sentences for the verb's own help.
    package let details: [String]
    /// Complete command lines that work as they stand.
    package let examples: [String]
    /// What leads on from a fault of that kind, where it is not what leads on from it elsewhere.
    let advice: [TokenctlError.Code: Step]
    /// Whether an account that nobody has may be one that is to be made.
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
