// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A word that a user fills in: what the help calls it, and what a shell offers for it.
package struct Placeholder: Sendable, Equatable {
    /// In capitals, such as `ACCOUNT`.
    package let text: String
    private let offered: @Sendable () -> Candidates

    /// What a shell may offer.
    var candidates: Candidates { offered() }

    /// An account's name.
    static let account = Placeholder(text: "ACCOUNT") { .accounts }
    /// A file's path.
    static let file = Placeholder(text: "FILE") { .files }

    /// Any text.
    static func text(_ text: String) -> Placeholder {
        Placeholder(text: text) { .none }
    }

    /// One of these words, which are made up when a shell wants them.
    static func word(_ text: String, of words: @escaping @autoclosure @Sendable () -> [String]) -> Placeholder {
        Placeholder(text: text) { .words(words()) }
    }

    package static func == (one: Placeholder, other: Placeholder) -> Bool { one.text == other.text }
}

/// What may stand after a verb without a dash.
package struct Operand: Sendable, Equatable {
    /// Whether it has to be there.
    enum Presence {
        case optional
        case required
        /// Required; the verb's action, which tells its operands apart itself, says what is missing.
        case checked
        /// As many of them as one likes.
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

    /// Whether the verb does nothing without it.
    var isNeeded: Bool { presence == .required || presence == .checked }
}

/// What may stand after `--`: another program's words, which are not looked at.
package enum Tail: Sendable, Equatable {
    case none
    /// Flags and files for a program that the verb names.
    case arguments(String)
    /// A command of its own, which has to be there.
    case command(String)
}
