// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// A program's path for display. A character that sanitizing removes, such as a zero-width one, would make it look like
/// another program's.
package struct ProgramPath: Sendable {
    /// As the kernel reports it.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Whether it can be shown unchanged.
    package var isPlain: Bool { DisplayText.sanitized(text, limit: .max) == text }

    /// The path on one line, with everything that sanitizing would remove as `\u{…}`.
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
