// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// `account.list`: the accounts' names.
package enum AccountList: MethodCall {
    package static let method = Method.accountList

    package typealias Parameters = NoParameters

    /// The names.
    package struct Result: MethodResult {
        /// Every account, those with a fault included.
        package var accounts: [String]
        /// The default account.
        package var defaultAccount: String?

        /// A list.
        package init(accounts: [String], defaultAccount: String? = nil) {
            self.accounts = accounts
            self.defaultAccount = defaultAccount
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            accounts = try reader.required(reader.strings("accounts"), "accounts")
            defaultAccount = try reader.string("default")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = [:]
            object.set("accounts", accounts)
            object.set("default", defaultAccount)
            return object
        }
    }
}

/// `account.show`: an account's settings.
package enum AccountShow: MethodCall {
    package static let method = Method.accountShow

    /// Which account.
    package struct Parameters: MethodParameters {
        package static let names = ["account"]

        /// The account's name.
        package var account: String

        /// Shows this account.
        package init(account: String) {
            self.account = account
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.required(reader.string("account"), "account")
        }

        package func encoded() -> JSONObject {
            ["account": .string(account)]
        }
    }

    /// The settings.
    package struct Result: MethodResult {
        /// The account's name.
        package var account: String
        /// The settings in force.
        package var config: JSONObject
        /// The file that they are from.
        package var file: String
        /// The preset that they build on.
        package var provider: String?

        /// An account's settings.
        package init(account: String, config: JSONObject, file: String, provider: String? = nil) {
            self.account = account
            self.config = config
            self.file = file
            self.provider = provider
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            account = try reader.required(reader.string("account"), "account")
            config = try reader.required(reader.object("config"), "config")
            file = try reader.required(reader.string("file"), "file")
            provider = try reader.string("provider")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["account": .string(account), "config": .object(config), "file": .string(file)]
            object.set("provider", provider)
            return object
        }
    }
}

/// `account.refresh`: a refresh now.
package enum AccountRefresh: MethodCall {
    package static let method = Method.accountRefresh

    /// Which account.
    package struct Parameters: MethodParameters {
        package static let names = ["account", "timeout"]

        /// The account's name.
        package var account: String
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Refreshes this account.
        package init(account: String, timeout: Int64? = nil) {
            self.account = account
            self.timeout = timeout
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.required(reader.string("account"), "account")
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["account": .string(account)]
            object.set("timeout", timeout)
            return object
        }
    }

    package typealias Result = NoResult
}

/// `account.pause`: no background work for an account, or for all.
package enum AccountPause: MethodCall {
    package static let method = Method.accountPause

    /// One account, or all.
    package typealias Parameters = Status.Parameters
    package typealias Result = NoResult
}

/// `account.resume`: background work again.
package enum AccountResume: MethodCall {
    package static let method = Method.accountResume

    /// One account, or all.
    package typealias Parameters = Status.Parameters
    package typealias Result = NoResult
}
