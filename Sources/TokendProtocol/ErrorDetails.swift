// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

/// The further members of an error, in `data`; which ones there are depends on the kind.
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
    /// Why a sign-in is needed, in the word of the daemon's page.
    package var reason: String?
    /// The sign-in that waits for its user.
    package var loginID: String?
    /// What the provider said (RFC 6749, section 5.2).
    package var oauthError: String?
    /// The status of the provider's answer.
    package var httpStatus: Int64?
    /// The host that answered.
    package var host: String?
    /// What an answer failed, such as `nonce`.
    package var check: String?
    /// How strong the sign-in has to be, in the provider's words.
    package var acrValues: String?
    /// How long ago, in seconds, the user may have signed in.
    package var maxAge: Int64?
    /// The program that is refused, in the words of `allow`.
    package var client: String?
    /// The file with the fault.
    package var file: String?
    /// The line in it, counted from 1.
    package var line: Int64?
    /// The member with the fault, of the file or of the parameters.
    package var member: String?
    /// What is done about the fault, where that is not to edit the file.
    package var mend: String?
    /// The byte of the line at which it is not JSON any more.
    package var offset: Int64?
    /// The program that provides the secret store.
    package var provider: String?
    /// Whether that program runs and does not answer.
    package var isFrozen: Bool?
    /// Whether the store waits for its passphrase.
    package var passphrase: Passphrase?
    /// The scopes that the grant covers, with spaces between.
    package var granted: String?
    /// The required scopes, separated by spaces.
    package var requested: String?
    /// The scheme that needs a handler first.
    package var scheme: String?
    /// When it is tried again, in unix seconds.
    package var retryAt: Int64?
    /// For how many seconds the token that is held is good.
    package var expiresIn: Int64?

    package init() {}

    package static let members: [Member<Self>] = [
        .optional("account", \.account),
        .unlessDefault("accounts", \.accounts),
        .optional("reason", \.reason),
        .optional("login_id", \.loginID),
        .optional("oauth_error", \.oauthError),
        .optional("http_status", \.httpStatus),
        .optional("host", \.host),
        .optional("check", \.check),
        .optional("acr_values", \.acrValues),
        .optional("max_age", \.maxAge),
        .optional("client", \.client),
        .optional("file", \.file),
        .optional("line", \.line),
        .optional("member", \.member),
        .optional("mend", \.mend),
        .optional("offset", \.offset),
        .optional("provider", \.provider),
        .optional("frozen", \.isFrozen),
        .optional("passphrase", \.passphrase),
        .optional("granted", \.granted),
        .optional("requested", \.requested),
        .optional("scheme", \.scheme),
        .optional("retry_at", \.retryAt),
        .optional("expires_in", \.expiresIn),
    ]
}
