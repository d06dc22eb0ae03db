// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A text as a QR code (ISO/IEC 18004), for a camera in front of a terminal.
package struct QRCode: Sendable {
    /// Modules a side, without the margin.
    package let size: Int
    private let dark: [Bool]

    /// Light modules around it: less than the standard's four, which cameras do not mind and a terminal's lines do.
    package static let margin = 2

    /// From its rows, a `0` for each light module and a `1` for each dark one; nil where they are no square of these.
    package init?(rows: String) {
        let lines = rows.split(separator: "\n")
        let modules = lines.joined()
        guard !lines.isEmpty, lines.allSatisfy({ $0.utf8.count == lines.count }),
            modules.allSatisfy({ $0 == "0" || $0 == "1" })
        else { return nil }
        size = lines.count
        dark = modules.map { $0 == "1" }
    }

    /// Columns that it takes.
    package var width: Int { size + 2 * Self.margin }

    /// Lines that it takes: two modules each.
    package var height: Int { (width + 1) / 2 }

    /// Whether the module is dark; the margin is not.
    package func isDark(_ column: Int, _ row: Int) -> Bool {
        (0..<size).contains(column) && (0..<size).contains(row) && dark[row * size + column]
    }

    /// The lines, black on white where there are colours; without them light modules are drawn, as most terminals are
    /// dark.
    package func lines(_ palette: Palette) -> [String] {
        (0..<height).map { line in
            let row = 2 * line - Self.margin
            let text = (0..<width).reduce(into: "") { text, place in
                let column = place - Self.margin
                text += Self.block(
                    upper: isDark(column, row) == palette.coloured,
                    lower: isDark(column, row + 1) == palette.coloured
                )
            }
            return palette.coloured ? "\u{1B}[38;5;16;48;5;231m\(text)\u{1B}[0m" : text
        }
    }

    private static func block(upper: Bool, lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
