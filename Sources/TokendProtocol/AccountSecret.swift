// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import Secrets

/// `account.secret`: stores a secret with which an account's client authenticates.
package enum AccountSecret: MethodCall {
    package static let method = Method.accountSecret

    /// The account and its secret.
    package struct Parameters: MethodParameters {
        /// The client secret.
        package static let clientSecret = "client_secret"
        /// The signing key in its place, as PEM or as a JWK.
        package static let clientKey = "client_key"
        /// The values of `kind`.
        package static let kinds = [clientSecret, clientKey, "initial_access_token"]

        /// The account's name.
        package var account = ""
        /// Its kind: one of `kinds`.
        package var kind = ""
        /// The secret itself; a key as PEM or as a JWK.
        package var value = Secret("")
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// A secret for an account.
        package init(account: String, kind: String, value: Secret) {
            self.account = account
            self.kind = kind
            self.value = value
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .required("kind", \.kind, as: .word(of: kinds)),
            .required("value", \.value),
            .optional("timeout", \.timeout, as: .seconds),
        ]
    }

    package typealias Result = NoResult
}
