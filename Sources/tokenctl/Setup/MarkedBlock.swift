// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Lines of ours in another program's file, between two comments that name their account. Pure.
package struct MarkedBlock: Sendable {
    private let begin: String
    private let end: String

    /// The block of that account.
    package init(account: String) {
        begin = "# tokend: begin \(account)"
        end = "# tokend: end \(account)"
    }

    /// The accounts that have a block in a text.
    package static func accounts(in text: String) -> [String] {
        let begin = "# tokend: begin "
        return lines(text).filter { $0.hasPrefix(begin) }.map { String($0.dropFirst(begin.count)) }
    }

    /// The text with these lines in its block, where it was, else at the end; the rest stays as it is.
    package func put(_ lines: [String], into text: String) throws(TokenctlError) -> String {
        let block = [begin] + lines + [end]
        var all = Self.lines(text)
        if let range = try range(in: all) {
            all.replaceSubrange(range, with: block)
        } else {
            all += (all.isEmpty ? [] : [""]) + block
        }
        return Self.text(all)
    }

    /// The lines in its block; nil where it has none.
    package func content(of text: String) throws(TokenctlError) -> [String]? {
        let all = Self.lines(text)
        return try range(in: all).map { Array(all[$0].dropFirst().dropLast()) }
    }

    /// The text without its block and the blank line before it; nil where it has none.
    package func removed(from text: String) throws(TokenctlError) -> String? {
        var all = Self.lines(text)
        guard let range = try range(in: all) else { return nil }
        let hasBlank = range.lowerBound > 0 && all[range.lowerBound - 1].isEmpty
        all.removeSubrange((hasBlank ? range.lowerBound - 1 : range.lowerBound)..<range.upperBound)
        return Self.text(all)
    }

    /// Whether two texts have the same lines: that the last one has an end, or none, says nothing.
    package static func areSame(_ one: String, _ other: String) -> Bool {
        let texts = [one, other].map { $0.utf8.reversed().drop { $0 == 0x0A || $0 == 0x0D } }
        return texts[0].elementsEqual(texts[1])
    }

    private func range(in lines: [String]) throws(TokenctlError) -> Range<Int>? {
        guard let first = lines.firstIndex(of: begin) else { return nil }
        guard let last = lines[first...].firstIndex(of: end) else {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.configuration,
                "the line “\(begin)” is there without its end; put “\(end)” where it belongs"
            )
        }
        return first..<(last + 1)
    }

    private static func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func text(_ lines: [String]) -> String {
        lines.map { $0 + "\n" }.joined()
    }
}
