// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// `account.import`: takes over a refresh token, tried with one refresh before it is stored.
package enum AccountImport: MethodCall {
    package static let method = Method.accountImport

    /// The account and its token.
    package struct Parameters: MethodParameters {
        package static let names = ["account", "refresh_token", "scope", "timeout"]

        /// The account's name.
        package var account: String
        /// The token to take over.
        package var refreshToken: Secret
        /// What the token covers, where the account's file does not say it.
        package var scope: String?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// A token for an account.
        package init(account: String, refreshToken: Secret) {
            self.account = account
            self.refreshToken = refreshToken
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.required(reader.string("account"), "account")
            refreshToken = try reader.required(reader.secret("refresh_token"), "refresh_token")
            scope = try reader.scope("scope")
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = [
                "account": .string(account), "refresh_token": .string(refreshToken.reveal()),
            ]
            object.set("scope", scope)
            object.set("timeout", timeout)
            return object
        }
    }

    /// The grant, as after a login.
    package typealias Result = LoginResult
}
