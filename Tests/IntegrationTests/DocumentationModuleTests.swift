// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport
import Testing

/// docs/modules.md against .ci/imports and Package.swift.
@Suite struct DocumentationModuleTests {
    /// Target → what it may import, as the page has it.
    private static let arrows: [String: Set<String>] = {
        let tables = DocumentationPage.named("docs/modules.md").tables.filter { $0.header == ["target", "imports"] }
        return Dictionary(tables.flatMap(\.rows).map { ($0[0], words($0[1])) }) { $1 }
    }()

    private static func words(_ text: String) -> Set<String> {
        Set(text.filter { $0 != "`" }.split(separator: " ").map(String.init))
    }

    @Test func `the arrows are those of the import table`() throws {
        let data = try Data(contentsOf: URL(filePath: BuildProducts.source + "/.ci/imports"))
        var table: [String: Set<String>] = [:]
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: ":", maxSplits: 1)
            table[String(parts[0])] = parts.count > 1 ? Self.words(String(parts[1])) : []
        }
        #expect(Self.arrows == table)
    }

    @Test func `the arrows are those of the package`() async throws {
        let folder = "/tmp/tokend-package.\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // A folder of its own: the one of the build may be in use by what runs this test.
        let finished = try await ChildProcess.run(
            "swift",
            ["package", "dump-package", "--package-path", BuildProducts.source, "--scratch-path", folder],
            environment: ProcessInfo.processInfo.environment,
            within: .seconds(120)
        )
        try #require(finished.status == .code(0), "\(finished)")
        let targets = try #require(try JSONReader().read(finished.output).object?["targets"]?.array).compactMap(
            \.object
        )
        var declared: [String: Set<String>] = [:]
        for target in targets where target["type"]?.string != "system" {
            let names = target["dependencies"]?.array?.compactMap { $0.object?["byName"]?.array?.first?.string }
            declared[target["name"]?.string ?? ""] = Set(names ?? [])
        }
        #expect(Self.arrows == declared)
        let libraries = targets.filter { $0["type"]?.string == "system" }.compactMap { $0["name"]?.string }
        let text = DocumentationPage.named("docs/modules.md").text
        for library in libraries { #expect(text.contains("`\(library)`"), "\(library)") }
    }

    @Test func `every target has its paragraph`() {
        let text = DocumentationPage.named("docs/modules.md").text
        for target in Self.arrows.keys where !target.hasSuffix("Tests") {
            #expect(text.contains("\n**`\(target)`**: "), "\(target)")
        }
    }

    @Test func `every folder of Broker is in its table`() throws {
        let table = try #require(DocumentationPage.named("docs/modules.md").tables.first { $0.header[0] == "folder" })
        let named = table.rows.flatMap { $0[0].split(separator: ",") }.map { $0.filter(\.isLetter) }
        let root = BuildProducts.source + "/Sources/Broker"
        let folders = try FileManager.default.contentsOfDirectory(atPath: root).filter { !$0.hasSuffix(".swift") }
        #expect(named.sorted() == folders.sorted())
    }
}
