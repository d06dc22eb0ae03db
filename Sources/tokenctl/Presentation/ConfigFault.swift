// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// A fault of the configuration as one line: `FILE:LINE: MEMBER: MESSAGE`.
package struct ConfigFault: Sendable {
    /// What to print.
    package let line: String
    private let place: String

    /// From the protocol's `{file, line?, member?, message}`.
    package init(_ fault: JSONObject) {
        var parts = fault["file"]?.string ?? "configuration"
        if let line = fault["line"]?.int64 { parts += ":\(line)" }
        place = TerminalText.sanitized(parts, limit: 600) + ": "
        if let member = fault["member"]?.string { parts += ": \(member)" }
        if let message = fault["message"]?.string { parts += ": \(message)" }
        line = TerminalText.sanitized(parts, limit: 600)
    }

    /// The daemon's sentence about it without file and line.
    package func withoutPlace(_ sentence: String) -> String {
        sentence.hasPrefix(place) ? String(sentence.dropFirst(place.count)) : sentence
    }
}
