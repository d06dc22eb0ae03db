// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing

/// The table of docs/testing.md that says which check notices what, and by which patch that was seen.
@Suite struct DocumentationEvidenceTests {
    private struct Row {
        let parts: [String]
        let check: String
        let patches: [String]
    }

    private static let folder = BuildProducts.source + "/Tests/Broken"

    private static func rows() throws -> [Row] {
        let tables = DocumentationPage.named("docs/testing.md").tables
        let table = try #require(tables.first { $0.header == ["shipped", "check", "broken by"] })
        return table.rows.map { Row(parts: spans($0[0]), check: spans($0[1])[0], patches: spans($0[2])) }
    }

    /// The code spans of a cell.
    private static func spans(_ cell: String) -> [String] {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1 else { return [cell] }
        return parts.indices.filter { !$0.isMultiple(of: 2) }.map { parts[$0] }
    }

    /// What a patch says of itself before its first file: `Check`, `Needs` and `Says`.
    private static func header(_ patch: String) throws -> [String: String] {
        let text = String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(patch).patch")), as: UTF8.self)
        let lines = text.split(separator: "\n").prefix { !$0.hasPrefix("--- ") }
        let pairs = lines.compactMap { line -> (String, String)? in
            guard let colon = line.firstRange(of: ": ") else { return nil }
            return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
        }
        return Dictionary(pairs) { $1 }
    }

    @Test func `every patch is in the table, with the check that it says`() throws {
        let rows = try Self.rows()
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        let patches = files.filter { $0.hasSuffix(".patch") }.map { String($0.dropLast(".patch".count)) }
        #expect(rows.flatMap(\.patches).sorted() == patches.sorted())
        for row in rows {
            #expect(!row.patches.isEmpty, "\(row.parts): nothing has shown that the check notices")
            for patch in row.patches {
                let header = try Self.header(patch)
                #expect(header["Check"] == row.check, "\(patch)")
                #expect(header["Says"]?.isEmpty == false, "\(patch)")
                #expect(["nothing", "tests", "release"].contains(header["Needs"]), "\(patch)")
            }
        }
    }

    @Test func `every patch can be applied`() async throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: Self.folder) {
            let tried = try await ChildProcess.run(
                "/usr/bin/patch",
                ["--dry-run", "--force", "-p0", "-d", BuildProducts.source, "-i", "\(Self.folder)/\(file)"],
                environment: [:]
            )
            #expect(tried.status == .code(0), "\(tried)")
        }
    }

    @Test func `every check of the table is there`() throws {
        let tests = BuildProducts.source + "/Tests/IntegrationTests"
        let sources = try FileManager.default.contentsOfDirectory(atPath: tests).map {
            String(decoding: try Data(contentsOf: URL(filePath: "\(tests)/\($0)")), as: UTF8.self)
        }
        for check in try Set(Self.rows().map(\.check)) {
            if check.hasPrefix("Programs/") {
                let suite = "struct \(check.dropFirst("Programs/".count)) {"
                #expect(sources.contains { $0.contains(suite) }, "\(check)")
            } else {
                #expect(FileManager.default.isExecutableFile(atPath: BuildProducts.source + "/" + check), "\(check)")
            }
        }
    }

    @Test func `every file and script of the package is in the table`() async throws {
        let parts = try Self.rows().flatMap(\.parts)
        let package = try BuildProducts.package()
        let list = "dpkg-deb --fsys-tarfile \"$1\" | tar t | grep -v '/$'; dpkg-deb --ctrl-tarfile \"$1\" | tar t"
        let listed = try await ChildProcess.run(
            "/bin/sh",
            ["-c", list, "sh", package],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        let files = listed.output.split(separator: "\n").map { String($0.dropFirst("./".count)) }.filter { !$0.isEmpty }
        #expect(files.count > 20, "\(listed)")
        for file in files {
            let isNamed = parts.contains { $0 == file || ($0.hasSuffix("/") && file.hasPrefix($0)) }
            #expect(isNamed, "\(file) is shipped, and nothing would notice if it did not work")
        }
    }
}
