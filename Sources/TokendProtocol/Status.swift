// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// `status`: how the daemon and its accounts are.
package enum Status: MethodCall {
    package static let method = Method.status

    /// Which accounts are asked about.
    package struct Parameters: MethodParameters {
        /// One account, or all where it is nil.
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
        /// The accounts that were asked about.
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

/// A fault of the configuration, with its place.
package struct ConfigurationFault: WireMessage {
    /// What a user does about a fault, where that is not to edit the file. A word that this version does not know,
    /// from a newer daemon, counts as none.
    package enum Mend: String, Sendable {
        /// The setting is good, and is read when the daemon starts.
        case restart
        /// Nothing: the daemon tries again by itself.
        case wait
        /// The setting is good; what the message names is put right, and the configuration read again.
        case reload
    }

    /// The file.
    package var file = ""
    /// The line, counted from 1, where the fault has one.
    package var line: Int64?
    /// The member at fault, with dots for levels.
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
