// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import Secrets

/// `account.import`: takes over a refresh token, tried with one refresh before it is stored.
package enum AccountImport: MethodCall {
    package static let method = Method.accountImport

    /// The account and its token.
    package struct Parameters: MethodParameters {
        /// The account's name.
        package var account = ""
        /// The token to take over.
        package var refreshToken = Secret("")
        /// The token's scope, if the account's file does not state it.
        package var scope: String?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// A token for an account.
        package init(account: String, refreshToken: Secret) {
            self.account = account
            self.refreshToken = refreshToken
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .required("refresh_token", \.refreshToken),
            .optional("scope", \.scope, as: .scope),
            .optional("timeout", \.timeout, as: .seconds),
        ]
    }

    /// The grant, as after a login.
    package typealias Result = LoginResult
}
