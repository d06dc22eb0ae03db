// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A sentence as it is broken into lines: a command within it stays whole. Pure.
package enum Sentence {
    /// The words; `tokenctl VERB` and what stands in backticks are one each.
    package static func words(_ text: String) -> [String] {
        var words: [String] = []
        var isQuoted = false
        for word in text.split(separator: " ") {
            if let last = words.last, isQuoted || last.hasSuffix("tokenctl") {
                words[words.count - 1] = last + " " + word
            } else {
                words.append(String(word))
            }
            if word.count(where: { $0 == "`" }) % 2 == 1 { isQuoted.toggle() }
        }
        return words
    }
}
