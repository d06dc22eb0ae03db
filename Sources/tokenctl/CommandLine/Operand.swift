// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A placeholder for the user's word: its name in the help, and a shell's candidates for it.
package struct Placeholder: Sendable, Equatable {
    /// In capitals, such as `ACCOUNT`.
    package let text: String
    private let offered: @Sendable () -> Candidates

    /// What a shell may offer.
    var candidates: Candidates { offered() }

    /// An account's name.
    static let account = Placeholder(text: "ACCOUNT") { .accounts }
    /// The name of a provider's preset.
    static let provider = Placeholder(text: "NAME") { .providers }
    /// A file's path.
    static let file = Placeholder(text: "FILE") { .files }

    /// Any text.
    static func text(_ text: String) -> Placeholder {
        Placeholder(text: text) { .none }
    }

    /// One of these words, computed when a shell asks for them.
    static func word(_ text: String, of words: @escaping @autoclosure @Sendable () -> [String]) -> Placeholder {
        Placeholder(text: text) { .words(words()) }
    }

    package static func == (one: Placeholder, other: Placeholder) -> Bool { one.text == other.text }
}

/// An operand of a verb.
package struct Operand: Sendable, Equatable {
    /// Whether it is required.
    enum Presence {
        case optional
        case required
        /// Required; the verb's action, which distinguishes its operands, reports a missing one.
        case checked
        /// Any number of them.
        case any
    }

    let placeholder: Placeholder
    var presence = Presence.optional

    /// The account that the verb is about.
    static let account = Operand(placeholder: .account)

    /// Any text.
    static func text(_ text: String) -> Operand { Operand(placeholder: .text(text)) }

    /// One of these words.
    static func word(_ text: String, of words: @escaping @autoclosure @Sendable () -> [String]) -> Operand {
        Operand(placeholder: .word(text, of: words()))
    }

    var required: Operand { Operand(placeholder: placeholder, presence: .required) }
    var checked: Operand { Operand(placeholder: placeholder, presence: .checked) }
    var any: Operand { Operand(placeholder: placeholder, presence: .any) }

    /// Whether the verb requires it.
    var isNeeded: Bool { presence == .required || presence == .checked }
}

/// The words after `--`, for another program; they are not parsed.
package enum Tail: Sendable, Equatable {
    case none
    /// Flags and files for a program that the verb names.
    case arguments(String)
    /// A command, which is required.
    case command(String)
}
