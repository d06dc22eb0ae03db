// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport

/// The names of tests, for pages that promise no more than tests show.
enum DocumentationTestNames {
    /// The functions of all test files that are named by a sentence.
    static func all() throws -> Set<String> {
        let folder = BuildProducts.source + "/Tests"
        var names: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix("Tests.swift") {
            let text = String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(path)")), as: UTF8.self)
            for part in text.split(separator: "func `").dropFirst() { names.insert(String(part.prefix { $0 != "`" })) }
        }
        return names
    }
}
