// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A shell's candidates for a word of the command line.
enum Candidates: Equatable {
    case none
    /// The accounts' names, requested from the daemon when needed.
    case accounts
    /// The providers' names, asked of the daemon likewise.
    case providers
    case words([String])
    case files
}

extension Verb {
    /// The candidates for its operands, in order; there are none after these.
    var operandCandidates: [Candidates] {
        let all = operands.map(\.placeholder.candidates)
        return Array(all.prefix((all.lastIndex { $0 != .none } ?? -1) + 1))
    }

    /// Whether a command follows `--`; otherwise flags and files.
    var runsCommand: Bool { if case .command = tail { true } else { false } }

    /// The flags with a value.
    var valuedFlags: [FlagSyntax] { flags.filter { $0.value != nil } }

    /// The first words after the program's name.
    static var firstWords: [String] {
        all.map { String($0.name.prefix { $0 != " " }) }.reduce(into: []) { words, word in
            if !words.contains(word) { words.append(word) }
        }
    }

    /// The second words after that first one; empty if the first one is a complete verb.
    static func secondWords(after first: String) -> [String] {
        all.map(\.name).filter { $0.hasPrefix(first + " ") }.map { String($0.dropFirst(first.count + 1)) }
    }

    /// The first words that need a second one.
    static var groups: [String] { firstWords.filter { !secondWords(after: $0).isEmpty } }

    /// All flags for completion, including the common one.
    var offeredFlags: [FlagSyntax] { allFlags + [FlagSyntax("--help", "how to use it")] }
}

extension FlagSyntax {
    /// The candidates for its value.
    var candidates: Candidates { value?.candidates ?? .none }
}
