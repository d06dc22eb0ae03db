// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TestSupport
import Testing

/// docs/rules.md against the numbers that tests, sources and pages carry.
@Suite struct DocumentationRuleTests {
    private static let rows = DocumentationPage.named("docs/rules.md").tables.flatMap { $0.column("rule") }

    @Test func `docs/rules.md has each number once, with what holds and where it comes from`() {
        #expect(Set(Self.rows).count == Self.rows.count && Self.rows.count > 150)
        for row in DocumentationPage.named("docs/rules.md").tables.flatMap(\.rows) {
            #expect(row.count == 3 && !row[1].isEmpty && !row[2].isEmpty, "\(row)")
        }
    }

    @Test func `every number that a test, a comment or a page carries is a row of docs/rules.md, and no other`() throws
    {
        let (names, comments) = try RuleNumbers.inSwift(below: "Tests")
        let sources = try RuleNumbers.inSwift(below: "Sources").comments
        let pages = DocumentationPage.all.flatMap { page in
            RuleNumbers.inText(page.text.replacing("\n", with: " ")).map {
                RuleNumbers.Carried(number: $0, place: page.path)
            }
        }
        let rows = Set(Self.rows)
        for carried in names.union(comments).union(sources).union(pages) where !rows.contains(carried.number) {
            Issue.record("docs/rules.md has no row \(carried.number): \(carried.place)")
        }
        #expect(rows.subtracting(names.union(comments).map(\.number)).sorted() == [])
    }

    @Test(arguments: [
        ("a login ends (OIDC-11, rule 10)", ["OIDC-11", "engine rule 10"]),
        ("a token goes (rejected, B12, 42)", ["B12", "field failure 42"]),
        ("all are told (engine rules 4 and 10)", ["engine rule 4", "engine rule 10"]),
        ("a token holds (min_valid, default 10)", []), ("tokenctl(1) has it", []),
    ])
    func `a test's name carries numbers in brackets, beside other words`(name: String, numbers: [String]) {
        #expect(RuleNumbers.inName(name) == numbers)
    }

    @Test(arguments: [
        ("Clocks (engine rules 11 and 13; field failures C1, E).", ["engine rule 11", "engine rule 13", "C1", "E"]),
        ("Both ports (D12).", ["D12"]), ("By values (config.md; engine rule 15).", ["engine rule 15"]),
        ("Control characters (C0, DEL and C1) are escaped, with 255 (1).", []),
    ])
    func `a comment carries numbers that cannot be taken for anything else`(comment: String, numbers: [String]) {
        #expect(RuleNumbers.inText(comment) == numbers)
    }
}
