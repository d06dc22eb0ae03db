// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The `[Default Applications]` of a `mimeapps.list`, the desktop's file of default programs (the freedesktop.org
/// association specification). Everything else in it is kept.
package struct MimeAppsList: Sendable, Equatable {
    private static let section = "[Default Applications]"
    private var lines: [String]

    /// Reads the text; an absent file is an empty text.
    package init(_ text: String = "") {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.last?.isEmpty == true { lines.removeLast() }
    }

    /// The file's text.
    package var text: String { lines.map { $0 + "\n" }.joined() }

    /// The desktop files that open the type, the preferred one first.
    package func defaults(for type: String) -> [String] {
        guard let line = line(of: type) else { return [] }
        let value = lines[line].split(separator: "=", maxSplits: 1).last ?? ""
        return value.split(separator: ";").map { String(Self.trimmed($0)) }.filter { !$0.isEmpty }
    }

    /// Sets which desktop files open the type; none removes the entry, and a section that is empty then.
    package mutating func set(_ names: [String], for type: String) {
        let entry = "\(type)=\(names.map { $0 + ";" }.joined())"
        switch (line(of: type), names.isEmpty) {
        case (let line?, false):
            lines[line] = entry
        case (let line?, true):
            lines.remove(at: line)
            removeEmptySection()
        case (nil, false):
            if let start = lines.firstIndex(where: { Self.trimmed($0[...]) == Self.section }) {
                lines.insert(entry, at: start + 1)
            } else {
                lines += (lines.isEmpty ? [] : [""]) + [Self.section, entry]
            }
        case (nil, true):
            break
        }
    }

    /// The line of the type's entry; the first one counts.
    private func line(of type: String) -> Int? {
        var isInside = false
        for (number, line) in lines.enumerated() {
            let text = Self.trimmed(line[...])
            if text.hasPrefix("[") {
                isInside = text == Self.section
            } else if isInside, let equals = text.firstIndex(of: "="), Self.trimmed(text[..<equals]) == type {
                return number
            }
        }
        return nil
    }

    private mutating func removeEmptySection() {
        guard let start = lines.firstIndex(where: { Self.trimmed($0[...]) == Self.section }) else { return }
        let rest = lines[(start + 1)...].prefix { !$0.hasPrefix("[") }
        guard rest.allSatisfy({ Self.trimmed($0[...]).isEmpty }) else { return }
        lines.removeSubrange(start..<rest.endIndex)
        while lines.last?.isEmpty == true { lines.removeLast() }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\r" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}
