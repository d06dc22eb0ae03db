// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTPTypes

/// What the three standard descriptors are, and what the environment says about showing things on them.
package struct TerminalTraits: Sendable, Equatable {
    /// Whether a user can answer.
    package var inputIsTerminal: Bool
    /// Whether data is shown to a user.
    package var outputIsTerminal: Bool
    /// Whether talk is shown to a user.
    package var errorIsTerminal: Bool
    /// Columns to write sentences in: the terminal's, at most 80.
    package var width: Int
    /// The terminal's columns.
    package var columns: Int
    /// Lines that are seen at once.
    package var height: Int
    /// Whether the locale can show more than ASCII.
    package var unicode: Bool
    /// Whether colours are wanted at all (`NO_COLOR`, `TERM=dumb`).
    package var colours: Bool

    /// `columns` and `rows`: the terminal's width and height, where there is one.
    package init(
        inputIsTerminal: Bool,
        outputIsTerminal: Bool,
        errorIsTerminal: Bool,
        columns: Int?,
        rows: Int? = nil,
        environment: [String: String]
    ) {
        self.inputIsTerminal = inputIsTerminal
        self.outputIsTerminal = outputIsTerminal
        self.errorIsTerminal = errorIsTerminal
        self.columns = max(40, columns ?? 80)
        width = min(80, self.columns)
        height = rows ?? 24
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        unicode = (locale ?? "").uppercased().contains(text: "UTF")
        colours = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Asks the system about descriptors 0, 1 and 2.
    package static func current(environment: [String: String]) -> TerminalTraits {
        var size = winsize()
        let known = [Int32(1), 2].contains { ioctl($0, UInt(TIOCGWINSZ), &size) == 0 }
        return TerminalTraits(
            inputIsTerminal: isatty(0) == 1,
            outputIsTerminal: isatty(1) == 1,
            errorIsTerminal: isatty(2) == 1,
            columns: known && size.ws_col > 0 ? Int(size.ws_col) : nil,
            rows: known && size.ws_row > 0 ? Int(size.ws_row) : nil,
            environment: environment
        )
    }

    /// Whether a user sits there: one who reads what is said and can answer.
    package var isInteractive: Bool { inputIsTerminal && errorIsTerminal }

    /// Columns for a table of data; a pipe gets whole lines, for searching.
    package var tableWidth: Int { outputIsTerminal ? columns : Int.max }

    /// Lines for data that is to be seen at once; nil where it goes elsewhere.
    package var screenHeight: Int? { outputIsTerminal ? height : nil }

    /// The same with the size that the terminal has now.
    func resized() -> TerminalTraits {
        var traits = self
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return self }
        traits.columns = max(40, Int(size.ws_col))
        traits.width = min(80, traits.columns)
        traits.height = Int(size.ws_row)
        return traits
    }

    /// How to write data (stdout).
    package var outputPalette: Palette { Palette(coloured: colours && outputIsTerminal, unicode: unicode) }

    /// How to write talk (stderr).
    package var errorPalette: Palette { Palette(coloured: colours && errorIsTerminal, unicode: unicode) }
}
