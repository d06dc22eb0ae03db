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
        package static let names = ["url", "timeout"]

        /// The list's URL: https, or http on a loopback address.
        package var url: String
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Fetches this list.
        package init(url: String, timeout: Int64? = nil) {
            self.url = url
            self.timeout = timeout
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            url = try reader.required(reader.string("url"), "url")
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["url": .string(url)]
            object.set("timeout", timeout)
            return object
        }
    }

    /// What the server published; nothing of it is written anywhere.
    package struct Result: MethodResult {
        /// One suggestion that makes a good account.
        package struct Suggestion: Sendable, Equatable {
            /// A name for the account.
            package var account: String
            /// What people call it.
            package var title: String?
            /// Its settings, for `account.add`.
            package var config: JSONObject

            /// A suggestion.
            package init(account: String, title: String? = nil, config: JSONObject) {
                self.account = account
                self.title = title
                self.config = config
            }
        }

        /// In the order of the list.
        package var providers: [Suggestion]
        /// What was passed over, and why; a sentence each.
        package var refused: [String]
        /// Why there is nothing: the server publishes no list.
        package var note: String?

        /// What came of it.
        package init(providers: [Suggestion] = [], refused: [String] = [], note: String? = nil) {
            self.providers = providers
            self.refused = refused
            self.note = note
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            providers = []
            for object in try reader.required(reader.objects("providers"), "providers") {
                let inner = MemberReader(result: object)
                providers.append(
                    Suggestion(
                        account: try inner.required(inner.string("account"), "account"),
                        title: try inner.string("title"),
                        config: try inner.required(inner.object("config"), "config")
                    )
                )
            }
            refused = try reader.strings("refused") ?? []
            note = try reader.string("note")
        }

        package func encoded() -> JSONObject {
            let suggestions = providers.map { suggestion -> JSONObject in
                var object: JSONObject = ["account": .string(suggestion.account)]
                object.set("title", suggestion.title)
                object["config"] = .object(suggestion.config)
                return object
            }
            var object: JSONObject = ["providers": .array(suggestions.map { .object($0) })]
            object.set("refused", refused.isEmpty ? nil : refused)
            object.set("note", note)
            return object
        }
    }
}
