// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing

/// A page of the documentation, taken apart as far as the tests that hold it need.
struct DocumentationPage: Sendable, CustomTestStringConvertible {
    /// A fenced block.
    struct Block: Sendable {
        /// What stands behind the fence, such as `sh test`.
        let info: String
        /// The line of the fence, counted from 1.
        let line: Int
        let text: String
    }

    /// A table's cells, without the spaces around them; a code span without its backquotes.
    struct Table: Sendable {
        /// The text of the nearest heading above.
        let heading: String
        let header: [String]
        let rows: [[String]]

        /// The cells of one column.
        func column(_ name: String) -> [String] {
            guard let index = header.firstIndex(of: name) else { return [] }
            return rows.map { $0[index] }
        }
    }

    /// From the project's top folder.
    let path: String
    let text: String
    private(set) var blocks: [Block] = []
    /// The headings' texts, code spans without their backquotes.
    private(set) var headings: [String] = []
    private(set) var tables: [Table] = []
    /// All lines outside of fenced blocks, with their numbers.
    private(set) var prose: [(number: Int, text: String)] = []

    var testDescription: String { path }

    /// All pages.
    static let all: [DocumentationPage] = {
        let folder = BuildProducts.source
        let pages = ["docs", "docs/providers"].flatMap { place in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + place)) ?? []
            return names.filter { $0.hasSuffix(".md") }.sorted().map { place + "/" + $0 }
        }
        return (["README.md", "CONTRIBUTING.md"] + pages).map(DocumentationPage.init)
    }()

    /// The page of that name; an empty one where there is none.
    static func named(_ path: String) -> DocumentationPage { DocumentationPage(path) }

    init(_ path: String) {
        self.path = path
        let bytes = (try? Data(contentsOf: URL(filePath: BuildProducts.source + "/" + path))) ?? Data()
        text = String(decoding: bytes, as: UTF8.self)
        readBlocks()
        readTables()
    }

    private mutating func readBlocks() {
        var open: (info: String, line: Int)?
        var lines: [Substring] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let (info, start) = open {
                if line == "```" {
                    blocks.append(Block(info: info, line: start, text: lines.joined(separator: "\n") + "\n"))
                    open = nil
                    lines = []
                } else {
                    lines.append(line)
                }
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), index + 1)
            } else {
                prose.append((index + 1, String(line)))
            }
        }
    }

    private mutating func readTables() {
        var rows: [[String]] = []
        func table(_ rows: [[String]]) -> Table? {
            guard rows.count > 2 else { return nil }
            // A row that lacks cells has empty ones.
            let full = rows.dropFirst(2).map { $0 + Array(repeating: "", count: max(0, rows[0].count - $0.count)) }
            return Table(heading: headings.last ?? "", header: rows[0], rows: full)
        }
        for (_, line) in prose {
            if line.hasPrefix("|") {
                rows.append(Self.cells(line))
                continue
            }
            if let found = table(rows) { tables.append(found) }
            rows = []
            if line.hasPrefix("#") {
                let title = line.drop { $0 == "#" }.filter { $0 != "`" }
                headings.append(String(title.drop { $0 == " " }))
            }
        }
        if let found = table(rows) { tables.append(found) }
    }

    private static func cells(_ line: String) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { cell in
            let text = cell.split(separator: " ").joined(separator: " ")
            let isSpan = text.hasPrefix("`") && text.hasSuffix("`") && text.count { $0 == "`" } == 2
            return isSpan ? String(text.dropFirst().dropLast()) : text
        }
    }
}
