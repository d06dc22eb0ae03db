// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// `account.add`: writes an account's file.
package enum AccountAdd: MethodCall {
    package static let method = Method.accountAdd

    /// The account.
    package struct Parameters: MethodParameters {
        package static let names = ["account", "config", "client_secret", "replace", "timeout"]

        /// The account's name.
        package var account: String
        /// What its file is to hold.
        package var config: JSONObject
        /// The client secret, for the secret store.
        package var clientSecret: Secret?
        /// Whether an account of this name may be there already.
        package var replace: Bool?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// A new account.
        package init(account: String, config: JSONObject) {
            self.account = account
            self.config = config
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.required(reader.string("account"), "account")
            config = try reader.required(reader.object("config"), "config")
            clientSecret = try reader.secret("client_secret")
            replace = try reader.flag("replace")
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["account": .string(account), "config": .object(config)]
            object.set("client_secret", clientSecret)
            object.set("replace", replace)
            object.set("timeout", timeout)
            return object
        }
    }

    /// Where the account was written.
    package struct Result: MethodResult {
        /// The account's name.
        package var account: String
        /// Its file.
        package var file: String

        /// An account that was written.
        package init(account: String, file: String) {
            self.account = account
            self.file = file
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            account = try reader.required(reader.string("account"), "account")
            file = try reader.required(reader.string("file"), "file")
        }

        package func encoded() -> JSONObject {
            ["account": .string(account), "file": .string(file)]
        }
    }
}

/// `account.remove`: ends the grant and removes the account's file.
package enum AccountRemove: MethodCall {
    package static let method = Method.accountRemove

    /// Which account.
    package struct Parameters: MethodParameters {
        package static let names = ["account", "revoke", "timeout"]

        /// The account's name.
        package var account: String
        /// Whether the grant is revoked at the provider (RFC 7009).
        package var revoke: Bool?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Removes this account.
        package init(account: String) {
            self.account = account
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.required(reader.string("account"), "account")
            revoke = try reader.flag("revoke")
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["account": .string(account)]
            object.set("revoke", revoke)
            object.set("timeout", timeout)
            return object
        }
    }

    package typealias Result = LogoutResult
}
