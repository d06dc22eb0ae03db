// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing

/// What holds for every page.
@Suite struct DocumentationLinkTests {
    @Test(arguments: DocumentationPage.all) func `relative links lead somewhere`(page: DocumentationPage) {
        let folder = page.path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
        for (number, line) in page.prose {
            for link in Self.links(line) where !link.contains("://") {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let target = parts[0].isEmpty ? page.path : Self.resolved(folder + parts[0])
                let path = BuildProducts.source + "/" + target
                #expect(FileManager.default.fileExists(atPath: path), "\(page.path):\(number): \(link)")
                guard parts.count == 2 else { continue }
                let anchors = DocumentationPage.named(target).headings.map(Self.anchor)
                #expect(anchors.contains(parts[1]), "\(page.path):\(number): \(link)")
            }
        }
    }

    @Test(arguments: DocumentationPage.all.map(\.path) + ["NOTICE"])
    func `no line names a package registry or a place of a build machine`(path: String) {
        let text = DocumentationPage.named(path).text
        #expect(!text.isEmpty)
        let places = ["/work/", "/root/", "/tmp/w/", BuildProducts.source + "/"]
        let registries = ["pypi", "pythonhosted", "npmjs", "crates.io", "registry", "artifactory", "nexus"]
        for word in places + registries { #expect(!text.lowercased().contains(word), "\(word)") }
    }

    @Test(arguments: DocumentationPage.all) func `every fence is closed, and its mark is known`(page: DocumentationPage)
    {
        let known = [
            "sh", "sh test", "sh new", "sh provider", "sh box", "sh start", "python test", "c test", "text", "jsonrpc",
            "json",
            "json5 account", "json5 daemon", "json5 policy", "json5 preset",
        ]
        for block in page.blocks { #expect(known.contains(block.info), "\(page.path):\(block.line): \(block.info)") }
        #expect(page.text.split(separator: "\n").count { $0.hasPrefix("```") } == 2 * page.blocks.count)
    }

    /// The targets of `[text](target)`.
    private static func links(_ line: String) -> [String] {
        line.split(separator: "](", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
            rest.firstIndex(of: ")").map { String(rest[..<$0]) }
        }
    }

    private static func resolved(_ path: String) -> String {
        path.split(separator: "/").reduce(into: [Substring]()) { parts, part in
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }.joined(separator: "/")
    }

    /// A heading's anchor, as GitHub makes it.
    private static func anchor(_ heading: String) -> String {
        heading.lowercased().filter { $0.isLetter || $0.isNumber || "- _".contains($0) }.replacing(" ", with: "-")
    }
}
