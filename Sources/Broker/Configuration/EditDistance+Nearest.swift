// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

extension EditDistance {
    /// The closest known word to a misspelt one; nil if none is close. Letter case is ignored, and a hyphen equals an
    /// underscore.
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
