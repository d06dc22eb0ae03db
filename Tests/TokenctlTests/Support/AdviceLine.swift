// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import tokenctl

/// What `tokenctl` says to do next, as a user copies it.
enum AdviceLine {
    /// The command lines of `tokenctl` among what it said: those after an arrow, whole where they are broken, without the
    /// remark that may stand behind them.
    static func commands(in talk: String) -> [String] {
        talk.replacing("\\\n", with: " ").split(separator: "\n").compactMap { line in
            guard let arrow = ["  → ", "  -> "].first(where: line.hasPrefix) else { return nil }
            let command = line.dropFirst(arrow.count)
            return command.hasPrefix("tokenctl ") ? String(command.split(separator: "   (")[0]) : nil
        }
    }

    /// The words of a command line, as a shell takes it apart.
    static func words(_ command: String) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        var rest = command[...]
        while let character = rest.popFirst() {
            switch character {
            case "'":
                isQuoted.toggle()
                word = word ?? ""
            case "\\" where !isQuoted:
                if let next = rest.popFirst() { word = (word ?? "") + String(next) }
            case " " where !isQuoted:
                if let whole = word { words.append(whole) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        #expect(!isQuoted, "an open quote: \(command)")
        return words + (word.map { [$0] } ?? [])
    }

    /// Reads every command line of these with the parser that will read it.
    static func check(steps: [String]) {
        check(steps.map { "  → \($0)\n" }.joined())
    }

    /// Reads every command line in what was said with the parser that will read it.
    static func check(_ talk: String) {
        for command in commands(in: talk) {
            do throws(TokenctlError) {
                _ = try CommandLineParser.parse(SystemText.list(Array(words(command).dropFirst())))
            } catch {
                Issue.record("\(command): \(error.message)")
            }
        }
    }
}
