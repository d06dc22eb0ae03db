// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

/// `status`: the state of the daemon and its accounts.
package enum Status: MethodCall {
    package static let method = Method.status

    /// The accounts in question.
    package struct Parameters: MethodParameters {
        /// One account; nil: all.
        package var account: String?

        /// One account, or all.
        package init(account: String?) {
            self.account = account
        }

        package init() {}

        package static let members: [Member<Self>] = [.optional("account", \.account)]
    }

    /// The daemon and the accounts.
    package struct Result: MethodResult {
        /// The daemon itself.
        package var daemon = DaemonStatus()
        /// The requested accounts.
        package var accounts: [AccountStatus] = []

        /// A status.
        package init(daemon: DaemonStatus, accounts: [AccountStatus]) {
            self.daemon = daemon
            self.accounts = accounts
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("daemon", \.daemon),
            .required("accounts", \.accounts),
        ]
    }
}

/// A fault of the configuration, with its location.
package struct ConfigurationFault: WireMessage {
    /// What a user can do about a fault, other than edit the file. Unknown words, from a newer daemon, decode to nil.
    package enum Mend: String, Sendable {
        /// The setting is valid, and takes effect when the daemon restarts.
        case restart
        /// Nothing: the daemon tries again by itself.
        case wait
        /// The setting is valid; fix what the message names, then reload the configuration.
        case reload
    }

    /// The file.
    package var file = ""
    /// The line, counted from 1, if the fault has one.
    package var line: Int64?
    /// The faulty member, with dots for levels.
    package var member: String?
    /// One sentence for a user.
    package var message = ""
    /// nil: edit the file.
    package var mend: Mend?

    /// A fault.
    package init(file: String, line: Int64? = nil, member: String? = nil, message: String, mend: Mend? = nil) {
        self.file = file
        self.line = line
        self.member = member
        self.message = message
        self.mend = mend
    }

    package init() {}

    package static let members: [Member<Self>] = [
        .required("file", \.file),
        .optional("line", \.line),
        .optional("member", \.member),
        .required("message", \.message),
        .unlessDefault("mend", \.mend, as: .knownWord()),
    ]
}
