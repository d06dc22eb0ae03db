// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// Messages about a value that is not among the allowed words.
package enum ClosedWords {
    /// `is none of: auto, file; did you mean “file”?`, to be put after what names the setting.
    package static func refusal(of text: String, among words: [String]) -> String {
        "is none of: \(words.joined(separator: ", "))" + hint(for: text, among: words)
    }

    /// `; did you mean “file”?`; empty where no word is near.
    package static func hint(for text: String, among words: [String]) -> String {
        EditDistance.nearest(to: text, among: words).map { "; did you mean “\($0)”?" } ?? ""
    }
}
