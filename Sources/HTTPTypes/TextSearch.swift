// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Search for a text in another, byte for byte. The standard library's own has regular expressions with it, half a
/// mebibyte of them in a program that is linked statically.
extension StringProtocol {
    /// Where the text stands first.
    package func firstRange(ofText part: String) -> Range<Index>? {
        var rest = Substring(self).utf8
        while !rest.starts(with: part.utf8) {
            guard rest.popFirst() != nil else { return nil }
        }
        return rest.startIndex..<rest.index(rest.startIndex, offsetBy: part.utf8.count)
    }

    /// Whether the text occurs in it.
    package func contains(text part: String) -> Bool { firstRange(ofText: part) != nil }
}
