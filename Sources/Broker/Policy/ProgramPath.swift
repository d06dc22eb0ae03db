// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// A program's path as a user is shown it. A character that cleaning removes, such as one without width, would make it
/// look like another program's.
package struct ProgramPath: Sendable {
    /// As the kernel has it.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Whether it is shown as it is.
    package var isPlain: Bool { DisplayText.sanitized(text, limit: .max) == text }

    /// The path on one line, in which everything that would be cleaned away stands as `\u{…}`.
    package var revealed: String {
        guard !isPlain else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            let isPlain = scalar == " " || DisplayText.sanitized(String(scalar)) == String(scalar)
            shown += isPlain ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
        }
        return shown
    }
}
