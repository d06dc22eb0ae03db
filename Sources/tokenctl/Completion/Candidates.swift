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
        switch name {
        case .credentialGit: [.words(["get", "store", "erase"])]
        case .credentialDocker: [.words(["get", "store", "erase", "list"])]
        case .setup: [.words(SetupTool.allCases.map(\.rawValue)), .accounts]
        case .call: [.accounts, .words(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])]
        case .completion: [.words(CompletionShell.allCases.map(\.rawValue))]
        case .help: [.words(Self.firstWords)]
        case .callback, .forward: []
        default: operand == .none ? [] : [.accounts]
        }
    }

    /// Whether what stands after `--` is a command of its own; else it is flags and files.
    var runsCommand: Bool { name == .exec }

    /// The flags that a value comes after.
    var valuedFlags: [Flag] { flags.filter { $0.value != nil } }

    /// What the first word after the program's name may be.
    static var firstWords: [String] {
        all.map { String($0.name.rawValue.prefix { $0 != " " }) }.reduce(into: []) { words, word in
            if !words.contains(word) { words.append(word) }
        }
    }

    /// What the second word may be after that first one; empty where the first one is a verb by itself.
    static func secondWords(after first: String) -> [String] {
        all.map(\.name.rawValue).filter { $0.hasPrefix(first + " ") }.map { String($0.dropFirst(first.count + 1)) }
    }

    /// The first words that a second one follows.
    static var groups: [String] { firstWords.filter { !secondWords(after: $0).isEmpty } }

    /// All that a shell may offer, the flag that every verb has among them.
    var offeredFlags: [Flag] { allFlags + [Flag("--help", "how to use it")] }
}

extension Verb.Flag {
    /// What its value may be.
    var candidates: Candidates {
        switch value {
        case "FILE": .files
        case "ACCOUNT": .accounts
        case "FORM": .words(TokenFormat.allCases.map(\.rawValue))
        default: .none
        }
    }
}

/// The shells that there are completions for.
package enum CompletionShell: String, Sendable, CaseIterable {
    case bash, zsh, fish

    /// The script for that shell. Pure.
    package var script: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }
}
