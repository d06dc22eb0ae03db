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

    /// `shrinkOrder`: the columns that give way where the table is too wide, first to last.
    package init(header: [String], shrinkOrder: [Int]) {
        self.header = header
        self.shrinkOrder = shrinkOrder
    }

    /// The header's line and one a row; none is wider than `width` columns while the columns can shrink to eight.
    package func lines(_ rows: [[Cell]], width: Int, palette: Palette) -> [String] {
        let widths = columnWidths(rows, width: width)
        let head = line(header.map { Cell($0, .quiet) }, widths, palette)
        return [head] + rows.map { line($0, widths, palette) }
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
