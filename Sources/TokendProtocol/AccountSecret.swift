// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// `account.secret`: gives the secret store what an account's client authenticates with.
package enum AccountSecret: MethodCall {
    package static let method = Method.accountSecret

    /// The account and its secret.
    package struct Parameters: MethodParameters {
        package static let names = ["account", "kind", "value", "timeout"]

        /// The words of `kind`.
        package static let kinds = ["client_secret", "client_key", "initial_access_token"]

        /// The account's name.
        package var account: String
        /// What it is: one of `kinds`.
        package var kind: String
        /// The secret itself; a key as PEM or as a JWK.
        package var value: Secret
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// A secret for an account.
        package init(account: String, kind: String, value: Secret) {
            self.account = account
            self.kind = kind
            self.value = value
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.required(reader.string("account"), "account")
            let word = try reader.read("kind", as: "client_secret, client_key or initial_access_token") { value in
                value.string.flatMap { Self.kinds.contains($0) ? $0 : nil }
            }
            kind = try reader.required(word, "kind")
            value = try reader.required(reader.secret("value"), "value")
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = [
                "account": .string(account), "kind": .string(kind), "value": .string(value.reveal()),
            ]
            object.set("timeout", timeout)
            return object
        }
    }

    package typealias Result = NoResult
}
