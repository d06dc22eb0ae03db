// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Colours by meaning, and the signs that a locale can show.
package struct Palette: Sendable, Equatable {
    /// What a piece of text means.
    package enum Meaning: Sendable {
        case good, passing, bad, quiet, strong, command
    }

    /// Whether there are colours.
    package let coloured: Bool
    /// Whether there is more than ASCII.
    package let unicode: Bool

    /// What the terminal can show.
    package init(coloured: Bool, unicode: Bool) {
        self.coloured = coloured
        self.unicode = unicode
    }

    /// No colours, but every sign.
    package static let plain = Palette(coloured: false, unicode: true)

    /// The text in its colour, where there are colours.
    package func paint(_ text: String, _ meaning: Meaning) -> String {
        guard coloured, !text.isEmpty else { return text }
        let code =
            switch meaning {
            case .good: "32"
            case .passing: "33"
            case .bad: "31"
            case .quiet: "2"
            case .strong: "1"
            case .command: "36"
            }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }

    /// Stands before what to do next.
    package var arrow: String { unicode ? "→" : "->" }
    /// Stands for what was cut.
    package var ellipsis: String { unicode ? "…" : "..." }
    /// The text in signs that the locale has: quotation marks and dots in ASCII, where there is nothing else.
    package func fitting(_ text: String) -> String {
        guard !unicode else { return text }
        return text.reduce(into: "") { result, character in
            switch character {
            case "“", "”": result += "\""
            case "…": result += "..."
            default: result.append(character)
            }
        }
    }

    /// What a spinner turns through.
    package var spinner: [String] {
        unicode ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["-", "\\", "|", "/"]
    }
}
