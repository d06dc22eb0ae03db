// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// `provider.fetch`: the accounts that an application's server suggests.
package enum ProviderFetch: MethodCall {
    package static let method = Method.providerFetch

    /// What a list may say of an account; everything else of an account is its owner's to decide.
    package static let settings = [
        "provider", "set", "issuer", "endpoints", "client_id", "scopes", "redirect_uri", "resource", "audience",
        "authorization_parameters", "token_parameters", "scopes_from", "exchange",
    ]

    /// Where the list is.
    package struct Parameters: MethodParameters {
        /// The list's URL: https, or http on a loopback address.
        package var url = ""
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Fetches this list.
        package init(url: String, timeout: Int64? = nil) {
            self.url = url
            self.timeout = timeout
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("url", \.url),
            .optional("timeout", \.timeout, as: .seconds),
        ]
    }

    /// What the server published; nothing of it is written anywhere.
    package struct Result: MethodResult {
        /// One suggestion that makes a good account.
        package struct Suggestion: WireMessage {
            /// A name for the account.
            package var account = ""
            /// What people call it.
            package var title: String?
            /// Its settings, for `account.add`.
            package var config: JSONObject = [:]

            /// A suggestion.
            package init(account: String, title: String? = nil, config: JSONObject) {
                self.account = account
                self.title = title
                self.config = config
            }

            package init() {}

            package static let members: [Member<Self>] = [
                .required("account", \.account),
                .optional("title", \.title),
                .required("config", \.config),
            ]
        }

        /// In the order of the list.
        package var providers: [Suggestion] = []
        /// What was passed over, and why; a sentence each.
        package var refused: [String] = []
        /// Why there is nothing: the server publishes no list.
        package var note: String?

        /// What came of it.
        package init(providers: [Suggestion] = [], refused: [String] = [], note: String? = nil) {
            self.providers = providers
            self.refused = refused
            self.note = note
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("providers", \.providers),
            .unlessDefault("refused", \.refused),
            .optional("note", \.note),
        ]
    }
}
