// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import StrictJSON

/// `account.list`: the accounts' names.
package enum AccountList: MethodCall {
    package static let method = Method.accountList

    package typealias Parameters = NoParameters

    /// The names.
    package struct Result: MethodResult {
        /// Every account, including those with a fault.
        package var accounts: [String] = []
        /// The default account.
        package var defaultAccount: String?

        /// A list.
        package init(accounts: [String], defaultAccount: String? = nil) {
            self.accounts = accounts
            self.defaultAccount = defaultAccount
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("accounts", \.accounts),
            .optional("default", \.defaultAccount),
        ]
    }
}

/// `account.show`: an account's settings.
package enum AccountShow: MethodCall {
    package static let method = Method.accountShow

    /// Which account.
    package struct Parameters: MethodParameters {
        /// The account's name.
        package var account = ""

        /// Shows this account.
        package init(account: String) {
            self.account = account
        }

        package init() {}

        package static let members: [Member<Self>] = [.required("account", \.account)]
    }

    /// The settings.
    package struct Result: MethodResult {
        /// The account's name.
        package var account = ""
        /// The settings in force.
        package var config: JSONObject = [:]
        /// The file that they come from.
        package var file = ""
        /// The preset that they use.
        package var provider: String?

        /// An account's settings.
        package init(account: String, config: JSONObject, file: String, provider: String? = nil) {
            self.account = account
            self.config = config
            self.file = file
            self.provider = provider
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .required("config", \.config),
            .required("file", \.file),
            .optional("provider", \.provider),
        ]
    }
}

/// `account.refresh`: a refresh now.
package enum AccountRefresh: MethodCall {
    package static let method = Method.accountRefresh

    /// Which account.
    package struct Parameters: MethodParameters {
        /// The account's name.
        package var account = ""
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Refreshes this account.
        package init(account: String, timeout: Int64? = nil) {
            self.account = account
            self.timeout = timeout
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .optional("timeout", \.timeout, as: .seconds),
        ]
    }

    package typealias Result = NoResult
}

/// `account.pause`: stops background work for an account, or for all.
package enum AccountPause: MethodCall {
    package static let method = Method.accountPause

    /// One account, or all.
    package typealias Parameters = Status.Parameters
    package typealias Result = NoResult
}

/// `account.resume`: resumes background work.
package enum AccountResume: MethodCall {
    package static let method = Method.accountResume

    /// One account, or all.
    package typealias Parameters = Status.Parameters
    package typealias Result = NoResult
}
