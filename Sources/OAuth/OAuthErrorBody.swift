// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// An OAuth error from a token endpoint (RFC 6749, section 5.2), a redirect (section 4.1.2.1) or one of the forms that
/// providers use instead. All its texts are cleaned for display.
package struct OAuthErrorBody: Sendable, Hashable {
    /// The error's code, an open set of strings; empty if there is none.
    package let error: String

    /// The provider's description.
    package let description: String?

    /// The provider's page about it.
    package let uri: String?

    /// A finer code (`suberror` of Entra, `error_subtype` of Google).
    package let suberror: String?

    /// Entra's numbers (`error_codes`), or the one that an `AADSTS…` description starts with.
    package let numbers: [Int64]

    /// The interval between two polls of a device login in seconds, if the answer states it (GitHub).
    package let interval: Int64?

    /// The status of the answer; nil for a redirect.
    package let status: Int?

    /// Cleans the received texts for display.
    package init(
        error: String,
        description: String? = nil,
        uri: String? = nil,
        suberror: String? = nil,
        numbers: [Int64] = [],
        interval: Int64? = nil,
        status: Int? = nil
    ) {
        self.error = DisplayText.sanitized(error, limit: 100)
        self.description = description?.shown()
        self.uri = uri?.shown()
        self.suberror = suberror?.shown(limit: 100)
        self.numbers = numbers
        self.interval = interval
        self.status = status
    }

    /// A sentence for users: the description if there is one, else the code, else the status.
    package var message: String {
        let code = error.isEmpty ? "HTTP \(status ?? 0)" : error
        let detail = suberror.map { " (\($0))" } ?? ""
        return description.map { "\(code)\(detail): \($0)" } ?? code + detail
    }
}
