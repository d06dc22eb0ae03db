// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

extension EditDistance {
    /// The word that a misspelt one was meant to be; nil where none is near. Letter case and hyphens for underscores are
    /// no difference.
    static func nearest(to word: String, among words: [String]) -> String? {
        guard word.utf8.count <= 40 else { return nil }
        let limit = word.utf8.count < 5 ? 1 : 2
        return words.map { (word: $0, distance: between(plain(word), plain($0))) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?.word
    }

    private static func plain(_ word: String) -> String {
        String(word.lowercased().map { $0 == "-" ? "_" : $0 })
    }
}
