// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import StrictJSON

/// `provider.fetch`: the accounts that an application's server suggests.
package enum ProviderFetch: MethodCall {
    package static let method = Method.providerFetch

    /// The settings that a list may contain; all others of an account are the user's decision.
    package static let settings = [
        "provider", "set", "issuer", "endpoints", "client_id", "scopes", "redirect_uri", "resource", "audience",
        "authorization_parameters", "token_parameters", "scopes_from", "exchange",
    ]

    /// The list's URL.
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

    /// The server's list; it is not written anywhere.
    package struct Result: MethodResult {
        /// One valid suggestion.
        package struct Suggestion: WireMessage {
            /// A name for the account.
            package var account = ""
            /// Its usual name.
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
        /// Entries that were refused, with reasons; a sentence each.
        package var refused: [String] = []
        /// Why the result is empty: the server publishes no list.
        package var note: String?

        /// The result.
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
