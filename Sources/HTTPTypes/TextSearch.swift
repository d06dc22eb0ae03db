// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Byte-for-byte search for a text in another. The standard library's own pulls in regular expressions, half a mebibyte
/// in a statically linked program.
extension StringProtocol {
    /// The first occurrence of the text.
    package func firstRange(ofText part: String) -> Range<Index>? {
        var rest = Substring(self).utf8
        while !rest.starts(with: part.utf8) {
            guard rest.popFirst() != nil else { return nil }
        }
        return rest.startIndex..<rest.index(rest.startIndex, offsetBy: part.utf8.count)
    }

    /// Where the text stands last.
    package func lastRange(ofText part: String) -> Range<Index>? {
        var rest = Substring(self)
        var last: Range<Index>?
        while let found = rest.firstRange(ofText: part), !found.isEmpty {
            last = found
            rest = rest[found.upperBound...]
        }
        return last
    }

    /// Whether the text occurs in it.
    package func contains(text part: String) -> Bool { firstRange(ofText: part) != nil }

    /// The same with another text wherever this one stands.
    package func replacing(text part: String, with other: String) -> String {
        var result = ""
        var rest = Substring(self)
        while let found = rest.firstRange(ofText: part), !found.isEmpty {
            result += rest[..<found.lowerBound] + other
            rest = rest[found.upperBound...]
        }
        return result + rest
    }
}
