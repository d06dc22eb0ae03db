// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// An error in OAuth's terms, from a token endpoint (RFC 6749, section 5.2), a redirect (section 4.1.2.1)
/// or one of the shapes that providers use instead. Every text in it is fit to be shown.
package struct OAuthErrorBody: Sendable, Hashable {
    /// The error's code, an open set of strings; empty where the provider named none.
    package let error: String

    /// What the provider says about it.
    package let description: String?

    /// Where the provider explains it.
    package let uri: String?

    /// A finer code (`suberror` of Entra, `error_subtype` of Google).
    package let suberror: String?

    /// Entra's numbers (`error_codes`), or the one that an `AADSTS…` description starts with.
    package let numbers: [Int64]

    /// How many seconds are to lie between two polls of a device login, where the answer says so (GitHub).
    package let interval: Int64?

    /// The status of the answer; nil for a redirect.
    package let status: Int?

    /// Takes what was received and makes it fit to be shown.
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

    /// A sentence for people: the description where there is one, else the code, else the status.
    package var message: String {
        let code = error.isEmpty ? "HTTP \(status ?? 0)" : error
        let detail = suberror.map { " (\($0))" } ?? ""
        return description.map { "\(code)\(detail): \($0)" } ?? code + detail
    }
}
