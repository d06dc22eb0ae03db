// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// An error as a user reads it: the sentence, then commands, each once and on a line of its own. Pure.
package struct ErrorText: Sendable, Equatable {
    /// The sentence, in lines.
    package let lines: [String]
    /// What leads on.
    package let next: [String]

    /// `width`: the terminal's columns; nil where the text goes elsewhere, and every sentence stays one line.
    package init(_ error: TokenctlError, width: Int?) {
        var message = error.message
        // The daemon's own sentence may hold the command already.
        var next = error.next.filter { !message.contains(text: $0) }
        if let (clause, command) = Self.command(in: message) {
            if command.contains(text: " NAME"), !next.isEmpty {
                message = Self.withoutLastClause(clause)
            } else if let width, DisplayWidth.of(Self.begin + message) > width {
                message = clause
                next.insert(command, at: 0)
            }
        }
        lines = width.map { Self.wrap(message, width: $0) } ?? [Self.begin + message]
        self.next = next
    }

    /// One line without the program's name, for another program to show: the sentence and the first command.
    package static func line(_ error: TokenctlError) -> String {
        let text = ErrorText(error, width: nil)
        return ([String(text.lines[0].dropFirst(begin.count))] + text.next.prefix(1)).joined(separator: "; ")
    }

    /// What every error begins with.
    package static let begin = "tokenctl: "

    /// The command that ends the sentence, and what stands before it.
    private static func command(in message: String) -> (clause: String, command: String)? {
        guard let range = message.lastRange(ofText: ": tokenctl ") else { return nil }
        let command = message[range.lowerBound...].dropFirst(2)
        return command.contains(";") ? nil : (message[..<range.lowerBound] + ":", String(command))
    }

    private static func withoutLastClause(_ text: String) -> String {
        text.lastIndex(of: ";").map { String(text[..<$0]) } ?? text
    }

    private static func wrap(_ message: String, width: Int) -> [String] {
        let lines = DisplayWidth.wrap(words: Sentence.words(begin + message), width: width - 2)
        return lines.prefix(1) + lines.dropFirst().map { "  " + $0 }
    }
}
