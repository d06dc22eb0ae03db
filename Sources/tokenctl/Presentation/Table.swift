// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A table of text that fits a width.
package struct Table: Sendable {
    /// One cell: its text and what it means.
    package struct Cell: Sendable, Equatable {
        /// What it shows.
        package let text: String
        /// What it means; nil for plain text.
        package let meaning: Palette.Meaning?

        /// A text with its meaning.
        package init(_ text: String, _ meaning: Palette.Meaning? = nil) {
            self.text = text
            self.meaning = meaning
        }
    }

    private let header: [String]
    private let shrinkOrder: [Int]
    private let wrapsLast: Bool

    /// `shrinkOrder`: the columns that give way where the table is too wide, first to last. `wrapsLast`: the last column's
    /// text goes on in the next line instead of being cut.
    package init(header: [String], shrinkOrder: [Int], wrapsLast: Bool = false) {
        self.header = header
        self.shrinkOrder = shrinkOrder
        self.wrapsLast = wrapsLast
    }

    /// The header's line and one a row; none is wider than `width` columns while the columns can shrink to eight.
    package func lines(_ rows: [[Cell]], width: Int, palette: Palette) -> [String] {
        let widths = columnWidths(rows, width: width)
        let head = line(header.map { Cell($0, .quiet) }, widths, palette)
        return [head] + rows.flatMap { wrapped($0, widths).map { line($0, widths, palette) } }
    }

    /// The row, and the lines that its last cell goes on in.
    private func wrapped(_ row: [Cell], _ widths: [Int]) -> [[Cell]] {
        guard wrapsLast, row.count == widths.count, let cell = row.last, let width = widths.last,
            DisplayWidth.of(cell.text) > width
        else { return [row] }
        let blank = row.dropLast().map { _ in Cell("") }
        return DisplayWidth.wrapBreaking(cell.text, width: width).enumerated().map { index, text in
            (index == 0 ? Array(row.dropLast()) : blank) + [Cell(text, cell.meaning)]
        }
    }

    private func columnWidths(_ rows: [[Cell]], width: Int) -> [Int] {
        var widths = header.map(DisplayWidth.of)
        for row in rows {
            for (column, cell) in row.enumerated() where column < widths.count {
                widths[column] = max(widths[column], DisplayWidth.of(cell.text))
            }
        }
        for column in shrinkOrder {
            let excess = widths.reduce(0, +) + 2 * (widths.count - 1) - width
            if excess > 0 { widths[column] = max(min(8, widths[column]), widths[column] - excess) }
        }
        return widths
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ palette: Palette) -> String {
        var parts: [String] = []
        let last = cells.lastIndex { !$0.text.isEmpty } ?? 0
        for (column, cell) in cells.enumerated().prefix(last + 1) {
            let text = DisplayWidth.cut(cell.text, to: widths[column], ellipsis: palette.ellipsis)
            let painted = cell.meaning.map { palette.paint(text, $0) } ?? text
            let padding = column == last ? 0 : max(0, widths[column] - DisplayWidth.of(text))
            parts.append(painted + String(repeating: " ", count: padding))
        }
        return parts.joined(separator: "  ")
    }
}
