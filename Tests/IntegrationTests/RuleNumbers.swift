// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport

/// The numbers of rules that tests, sources and pages carry in brackets: `(OIDC-11, engine rule 10)`.
enum RuleNumbers {
    /// A number as docs/rules.md writes it, and the name or the line that carries it.
    struct Carried: Hashable {
        let number: String
        let place: String
    }

    /// Those of a test's name, beside other words.
    static func inName(_ name: String) -> [String] {
        brackets(name).flatMap { items($0).compactMap(\.number) }
    }

    /// Those of a comment or a page: of a bracket that holds nothing else, or where the words before say what it is.
    static func inText(_ text: String) -> [String] {
        brackets(text).flatMap { bracket in
            let items = items(bracket)
            let isPlain = items.allSatisfy { $0.number != nil && !$0.isBare }
            return items.filter { isPlain || $0.isSpelledOut }.compactMap(\.number)
        }
    }

    /// Those of all tests' names and comments below a folder of the project.
    static func inSwift(below folder: String) throws -> (names: Set<Carried>, comments: Set<Carried>) {
        let root = BuildProducts.source + "/" + folder
        var found: (names: Set<Carried>, comments: Set<Carried>) = ([], [])
        for path in try FileManager.default.subpathsOfDirectory(atPath: root) where path.hasSuffix(".swift") {
            let text = String(decoding: try Data(contentsOf: URL(filePath: root + "/" + path)), as: UTF8.self)
            for part in text.split(separator: "func `").dropFirst() {
                let name = String(part.prefix { $0 != "`" })
                found.names.formUnion(inName(name).map { Carried(number: $0, place: name) })
            }
            for comment in comments(text) {
                found.comments.formUnion(inText(comment).map { Carried(number: $0, place: "\(folder)/\(path)") })
            }
        }
        return found
    }

    // MARK: Reading

    private struct Item {
        var number: String?
        /// A number, or a letter with or without one, that nothing says what it is.
        var isBare = false
        var isSpelledOut = false
    }

    /// What stands between brackets that a space is before.
    private static func brackets(_ text: String) -> [Substring] {
        text.split(separator: " (", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
            rest.firstIndex(of: ")").map { rest[..<$0] }
        }
    }

    /// The comments of a source; one that goes over several lines is one.
    private static func comments(_ text: String) -> [String] {
        var found: [String] = []
        var isOpen = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let start = line.firstRange(of: "//") else {
                isOpen = false
                continue
            }
            let comment = line[start.upperBound...].drop { $0 == "/" }
            if isOpen { found[found.count - 1] += comment } else { found.append(String(comment)) }
            isOpen = line[..<start.lowerBound].allSatisfy { $0 == " " }
        }
        return found
    }

    private static let words = [
        ("engine rules ", "engine rule "), ("engine rule ", "engine rule "), ("rules ", "engine rule "),
        ("rule ", "engine rule "), ("field failures ", "field failure "), ("field failure ", "field failure "),
    ]

    private static func items(_ bracket: Substring) -> [Item] {
        let list = [" and ", " to ", ";"].reduce(String(bracket)) { $0.replacing($1, with: ",") }
        var context: String?
        return list.split(separator: ",").map { part in
            var text = part.drop { $0 == " " }
            for (word, meaning) in words where text.hasPrefix(word) {
                text = text.dropFirst(word.count)
                context = meaning
            }
            return item(text, context)
        }
    }

    private static func item(_ text: Substring, _ context: String?) -> Item {
        if (1...2).contains(text.count), text.allSatisfy(\.isASCIIDigit) {
            let number = (context ?? "field failure ") + text
            return Item(number: number, isBare: context == nil, isSpelledOut: context != nil)
        }
        if let letter = text.first, ("A"..."P").contains(letter), text.count <= 3,
            text.dropFirst().allSatisfy(\.isASCIIDigit)
        {
            return Item(number: String(text), isSpelledOut: context == "field failure ")
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count >= 4, (1...2).contains(parts[1].count),
            parts[0].allSatisfy(\.isASCIIDigit) || parts[0].allSatisfy({ ("A"..."Z").contains($0) }),
            parts[1].allSatisfy(\.isASCIIDigit)
        else { return Item() }
        return Item(number: String(text), isSpelledOut: true)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
