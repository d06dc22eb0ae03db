// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// The redirect URI to register, for a user whose provider refuses the one that was sent: such a refusal is visible on
/// the provider's page alone. Pure.
package struct RegistrationHint: Sendable, Equatable {
    /// The lines.
    package let lines: [String]

    /// For a redirect URI as it was sent.
    package init(_ redirectURI: String) {
        var lines = [
            "Does the page refuse the redirect URI? Then register this at the provider, exactly:",
            "  " + TerminalText.sanitized(redirectURI),
        ]
        if let url = try? WebURL(redirectURI), url.isLoopback, let port = url.port {
            let start = url.text.prefix { $0 != ":" } + "://" + url.host
            let rest = url.text.dropFirst(start.count + ":\(port)".count)
            lines.append("or, where the provider allows any port:")
            lines.append("  " + TerminalText.sanitized(start + rest))
        }
        self.lines = lines
    }
}
