// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TestSupport
import Testing

/// docs/reliability.md promises nothing that no test shows.
@Suite struct DocumentationReliabilityTests {
    @Test func `every test that docs/reliability.md names exists`() throws {
        let page = DocumentationPage.named("docs/reliability.md")
        // A sentence in backquotes is a test's name; it may go over a line's end.
        let spans = page.text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }
            .map { $0.element.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        let names = spans.filter { $0.split(separator: " ").count > 3 && !$0.contains("/") }
        // A cell may name several.
        let cells = page.tables.flatMap { $0.column("test") }
            .flatMap { $0.replacing("`, `", with: "\n").split(separator: "\n").map { $0.filter { $0 != "`" } } }
        #expect(cells.count >= 20)
        let known = try DocumentationTestNames.all()
        for name in names + cells { #expect(known.contains(name), "\(name)") }
    }
}
