// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How far two words are from each other.
enum EditDistance {
    /// The least number of bytes to put in, take out or replace that makes one word the other (Levenshtein), letter case
    /// and hyphens for underscores being no difference.
    static func between(_ left: String, _ right: String) -> Int {
        let (left, right) = (plain(left), plain(right))
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let above = row[column + 1]
                row[column + 1] = min(above + 1, row[column] + 1, diagonal + (byte == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }

    /// The word that a misspelt one was meant to be; nil where none is near.
    static func nearest(to word: String, among words: [String]) -> String? {
        guard word.utf8.count <= 40 else { return nil }
        let limit = word.utf8.count < 5 ? 1 : 2
        return words.map { (word: $0, distance: between(word, $0)) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?.word
    }

    private static func plain(_ word: String) -> [UInt8] {
        Array(word.lowercased().replacing("-", with: "_").utf8)
    }
}
