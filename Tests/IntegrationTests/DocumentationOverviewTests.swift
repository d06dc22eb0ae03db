// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing

/// docs/overview.md against the code.
@Suite struct DocumentationOverviewTests {
    private static let page = DocumentationPage.named("docs/overview.md")

    @Test func `every file that docs/overview.md names is there`() {
        let spans = Self.page.prose.map(\.text).joined(separator: "\n")
            .split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        let files = spans.filter { $0.contains("/") && !$0.contains(" ") }
        // That it reads them at all. Fewer are named the fewer a change touches.
        #expect(files.count > 55)
        for file in files {
            let places = ["/", "/Sources/"].map { BuildProducts.source + $0 + file }
            #expect(places.contains(where: FileManager.default.fileExists(atPath:)), "\(file)")
        }
    }

    @Test(
        arguments: [
            ("Grant/GrantStateMachine.swift", "enum State {", ["unknown", "blocked", "signedOut", "ended", "live"]),
            ("Grant/LiveGrant.swift", "enum Activity {", ["idle", "refreshing", "awaitingStore"]),
        ]
    )
    func `the picture of a grant's states has all of them`(file: String, type: String, states: [String]) throws {
        let data = try Data(contentsOf: URL(filePath: BuildProducts.source + "/Sources/Broker/" + file))
        let text = String(decoding: data, as: UTF8.self)
        let start = try #require(text.firstRange(of: type))
        let body = text[start.upperBound...].prefix { $0 != "}" }
        let cases = body.split(separator: "case ").dropFirst().map { String($0.prefix(while: \.isLetter)) }
        #expect(cases == states)
        let picture = try #require(Self.page.blocks.first { $0.text.contains("signedOut") }).text
        for state in states { #expect(picture.contains(state), "\(state)") }
    }
}
