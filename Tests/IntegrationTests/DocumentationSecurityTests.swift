// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TestSupport
import Testing

/// docs/security.md promises nothing that no test shows.
@Suite struct DocumentationSecurityTests {
    @Test func `every line of docs/security.md names a test that exists`() throws {
        let page = DocumentationPage.named("docs/security.md")
        let known = try DocumentationTestNames.all()
        let tables = page.tables.filter { $0.header.contains("test") }
        #expect(tables.count >= 6)
        for row in tables.flatMap({ $0.column("test") }) {
            #expect(known.contains(row), "\(row)")
        }
    }
}
