// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// How an account gets its tokens; `flow` in its file.
package enum AccountFlow: String, Sendable, CaseIterable {
    /// A user signs in with a browser.
    case browser
    /// A user signs in on another device (RFC 8628).
    case device
    /// The client gets tokens for itself; no user signs in (RFC 6749, section 4.4).
    case clientCredentials = "client_credentials"

    /// Whether a user signs in.
    package var hasUser: Bool { loginFlow.hasUser }

    /// The protocol's word for it.
    package var loginFlow: LoginFlow { LoginFlow(rawValue: rawValue) }
}
