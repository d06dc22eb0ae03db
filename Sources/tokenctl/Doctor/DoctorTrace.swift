// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// An exchange of `doctor --trace` as lines for people. Pure.
package enum DoctorTrace {
    /// The request, what went with it, and what came back.
    package static func lines(_ exchange: Doctor.Exchange) -> [String] {
        let request = TerminalText.sanitized(exchange.request) + (exchange.isSent ? "" : "   (not sent)")
        return ["", request] + exchange.sent.map { "  > " + TerminalText.sanitized($0) }
            + exchange.received.map { "  < " + TerminalText.sanitized($0) }
    }
}
