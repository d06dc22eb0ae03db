// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// An exchange of `doctor --trace` as lines for people. Pure.
package enum DoctorTrace {
    /// The request, what went with it, and what came back. `width`: the terminal's columns; nil where it goes elsewhere.
    package static func lines(_ exchange: Doctor.Exchange, width: Int? = nil) -> [String] {
        let request = TerminalText.sanitized(exchange.request) + (exchange.isSent ? "" : "   (not sent)")
        return [""] + wrapped(request, "", width) + exchange.sent.flatMap { wrapped($0, "  > ", width) }
            + exchange.received.flatMap { wrapped($0, "  < ", width) }
    }

    private static func wrapped(_ line: String, _ sign: String, _ width: Int?) -> [String] {
        let text = TerminalText.sanitized(line, limit: 2000)
        guard let width, DisplayWidth.of(sign + text) > width else { return [sign + text] }
        let lines = DisplayWidth.wrapBreaking(text, width: width - 6)
        return lines.prefix(1).map { sign + $0 } + lines.dropFirst().map { "      " + $0 }
    }
}
