// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What a shell may offer at a place of the command line.
enum Candidates: Equatable {
    case none
    /// The accounts' names, asked of the daemon when they are wanted.
    case accounts
    case words([String])
    case files
}

extension Verb {
    /// What its operands may be, in their order; after these there is nothing to offer.
    var operandCandidates: [Candidates] {
        let all = operands.map(\.placeholder.candidates)
        return Array(all.prefix((all.lastIndex { $0 != .none } ?? -1) + 1))
    }

    /// Whether what stands after `--` is a command of its own; else it is flags and files.
    var runsCommand: Bool { if case .command = tail { true } else { false } }

    /// The flags that a value comes after.
    var valuedFlags: [FlagSyntax] { flags.filter { $0.value != nil } }

    /// What the first word after the program's name may be.
    static var firstWords: [String] {
        all.map { String($0.name.prefix { $0 != " " }) }.reduce(into: []) { words, word in
            if !words.contains(word) { words.append(word) }
        }
    }

    /// What the second word may be after that first one; empty where the first one is a verb by itself.
    static func secondWords(after first: String) -> [String] {
        all.map(\.name).filter { $0.hasPrefix(first + " ") }.map { String($0.dropFirst(first.count + 1)) }
    }

    /// The first words that a second one follows.
    static var groups: [String] { firstWords.filter { !secondWords(after: $0).isEmpty } }

    /// All that a shell may offer, the flag that every verb has among them.
    var offeredFlags: [FlagSyntax] { allFlags + [FlagSyntax("--help", "how to use it")] }
}

extension FlagSyntax {
    /// What its value may be.
    var candidates: Candidates { value?.candidates ?? .none }
}
