// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// One thing that leads on, as lines for a terminal: a command, perhaps with a remark in brackets behind it, or words
/// where no command does it. Pure.
///
/// Words are broken between words. A command is, too, each line but its last with a backslash at its end: what is copied
/// from the screen is the command.
package struct NextStep: Sendable, Equatable {
    private let text: String
    private let remark: String?
    private let isCommand: Bool

    /// `text`: a command line or a sentence; a remark stands behind three blanks.
    package init(_ text: String) {
        let blanks = text.firstRange(ofText: "   (")
        self.text = String(text[..<(blanks?.lowerBound ?? text.endIndex)])
        remark = blanks.map { "(" + text[$0.upperBound...] }
        isCommand = Self.programs.contains(String(self.text.prefix { $0 != " " }))
    }

    /// The lines behind an arrow, none wider than `width` columns but for a word that is.
    package func lines(width: Int, palette: Palette, indent: String = "  ") -> [String] {
        let column = DisplayWidth.of(indent + palette.arrow) + 1
        let shown = palette.fitting(text)
        let first = isCommand ? command(shown, width, column) : wrapped(shown, width: width - column)
        var lines = first.enumerated().map { index, line in
            let painted = palette.paint(line, .command)
            guard index > 0 else { return "\(indent)\(palette.arrow) \(painted)" }
            return (isCommand ? "" : String(repeating: " ", count: column)) + painted
        }
        guard let remark = remark.map(palette.fitting) else { return lines }
        if lines.count == 1, column + DisplayWidth.of(shown) + 3 + DisplayWidth.of(remark) <= width {
            lines[0] += "   " + remark
        } else {
            let blanks = String(repeating: " ", count: column)
            lines += wrapped(remark, width: width - column).map { blanks + $0 }
        }
        return lines
    }

    /// The command's lines. One that was broken by who wrote it stays as it is.
    private func command(_ text: String, _ width: Int, _ column: Int) -> [String] {
        if text.contains("\n") { return text.split(separator: "\n").map(String.init) }
        guard column + DisplayWidth.of(text) > width else { return [text] }
        // With the backslash, in the first line and in the others.
        let room = width - max(column, Self.continuation.count) - 2
        let lines = DisplayWidth.wrap(words: Self.words(of: text), width: room)
        return lines.enumerated().map { index, line in
            (index == 0 ? "" : Self.continuation) + line + (index < lines.count - 1 ? " \\" : "")
        }
    }

    private func wrapped(_ text: String, width: Int) -> [String] {
        DisplayWidth.wrap(words: Sentence.words(text), width: width)
    }

    /// What a command goes on behind in its next line, as in the examples of the help.
    private static let continuation = "      "

    /// A command's words, one in quotes whole. A flag and its value stay together.
    private static func words(of command: String) -> [String] {
        var words: [String] = []
        var isQuoted = false
        for part in command.split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
            let isValue = words.last?.hasPrefix("--") == true && words.last?.contains(" ") == false
            if let last = words.last, isQuoted || (isValue && !part.hasPrefix("-")) {
                words[words.count - 1] = last + " " + part
            } else {
                words.append(part)
            }
            if part.count(where: { $0 == "'" }) % 2 == 1 { isQuoted.toggle() }
        }
        return words
    }

    /// What the commands begin with that people are told here.
    private static let programs: Set = [
        "tokenctl", "systemctl", "journalctl", "loginctl", "apt", "chmod", "rm", "unset", "export", "ssh", "kubectl",
        "man",
    ]
}
