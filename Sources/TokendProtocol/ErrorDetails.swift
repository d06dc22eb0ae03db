// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

/// What an error says besides its kind and its sentence, in `data`; which of these it has depends on the kind.
package struct ErrorDetails: WireMessage {
    /// Why a passphrase is needed; unknown words decode to themselves.
    package struct Passphrase: OpenWord {
        /// The word on the wire.
        package let rawValue: String

        /// The value with this word, known or not.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The store is an existing file, which it opens.
        package static let needed = Passphrase(rawValue: "needed")
        /// There is no file yet; it is created with it.
        package static let new = Passphrase(rawValue: "new")
    }

    /// The account that it is about.
    package var account: String?
    /// The existing accounts.
    package var accounts: [String] = []
    /// The file with the fault.
    package var file: String?
    /// The line in it, counted from 1.
    package var line: Int64?
    /// The member with the fault, of the file or of the parameters.
    package var member: String?
    /// The program that provides the secret store.
    package var provider: String?
    /// Whether the store waits for its passphrase.
    package var passphrase: Passphrase?
    /// The required scopes, separated by spaces.
    package var requested: String?
    /// The scheme that needs a handler first.
    package var scheme: String?
    /// When it is tried again, in unix seconds.
    package var retryAt: Int64?

    package init() {}

    package static let members: [Member<Self>] = [
        .optional("account", \.account),
        .unlessDefault("accounts", \.accounts),
        .optional("file", \.file),
        .optional("line", \.line),
        .optional("member", \.member),
        .optional("provider", \.provider),
        .optional("passphrase", \.passphrase),
        .optional("requested", \.requested),
        .optional("scheme", \.scheme),
        .optional("retry_at", \.retryAt),
    ]
}
