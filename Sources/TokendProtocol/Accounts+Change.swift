// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import Secrets
package import StrictJSON

/// `account.add`: writes an account's file.
package enum AccountAdd: MethodCall {
    package static let method = Method.accountAdd

    /// The account.
    package struct Parameters: MethodParameters {
        /// The account's name.
        package var account = ""
        /// The settings for its file.
        package var config: JSONObject = [:]
        /// The client secret, for the secret store.
        package var clientSecret: Secret?
        /// Whether an existing account of this name may be replaced.
        package var replace: Bool?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// A new account.
        package init(account: String, config: JSONObject) {
            self.account = account
            self.config = config
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .required("config", \.config),
            .optional("client_secret", \.clientSecret),
            .optional("replace", \.replace),
            .optional("timeout", \.timeout, as: .seconds),
        ]
    }

    /// The file of the account.
    package struct Result: MethodResult {
        /// The account's name.
        package var account = ""
        /// Its file.
        package var file = ""

        /// An account that was written.
        package init(account: String, file: String) {
            self.account = account
            self.file = file
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .required("file", \.file),
        ]
    }
}

/// `account.remove`: ends the grant and removes the account's file.
package enum AccountRemove: MethodCall {
    package static let method = Method.accountRemove

    /// Which account.
    package struct Parameters: MethodParameters {
        /// The account's name.
        package var account = ""
        /// Whether the grant is revoked at the provider (RFC 7009).
        package var revoke: Bool?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Removes this account.
        package init(account: String) {
            self.account = account
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .optional("revoke", \.revoke),
            .optional("timeout", \.timeout, as: .seconds),
        ]
    }

    package typealias Result = LogoutResult
}
