// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// `status`: how the daemon and its accounts are.
package enum Status: MethodCall {
    package static let method = Method.status

    /// Which accounts are asked about.
    package struct Parameters: MethodParameters {
        package static let names = ["account"]

        /// One account, or all where it is nil.
        package var account: String?

        /// One account, or all.
        package init(account: String? = nil) {
            self.account = account
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.string("account")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = [:]
            object.set("account", account)
            return object
        }
    }

    /// The daemon and the accounts.
    package struct Result: MethodResult {
        /// The daemon itself.
        package var daemon: DaemonStatus
        /// The accounts that were asked about.
        package var accounts: [AccountStatus]

        /// A status.
        package init(daemon: DaemonStatus, accounts: [AccountStatus]) {
            self.daemon = daemon
            self.accounts = accounts
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            daemon = try DaemonStatus(json: reader.required(reader.object("daemon"), "daemon"))
            var accounts: [AccountStatus] = []
            for object in try reader.required(reader.objects("accounts"), "accounts") {
                accounts.append(try AccountStatus(json: object))
            }
            self.accounts = accounts
        }

        package func encoded() -> JSONObject {
            ["daemon": .object(daemon.encoded()), "accounts": .array(accounts.map { .object($0.encoded()) })]
        }
    }
}

/// A fault of the configuration, with its place.
package struct ConfigurationFault: Sendable, Equatable {
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
    package var file: String
    /// The line, counted from 1, where the fault has one.
    package var line: Int64?
    /// The member at fault, with dots for levels.
    package var member: String?
    /// One sentence for a user.
    package var message: String
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

    init(json: JSONObject) throws(ProtocolError) {
        let reader = MemberReader(result: json)
        file = try reader.required(reader.string("file"), "file")
        line = try reader.integer("line")
        member = try reader.string("member")
        message = try reader.required(reader.string("message"), "message")
        mend = try reader.string("mend").flatMap(Mend.init)
    }

    /// The fault's members.
    package func encoded() -> JSONObject {
        var object: JSONObject = ["file": .string(file)]
        object.set("line", line)
        object.set("member", member)
        object.set("message", message)
        object.set("mend", mend?.rawValue)
        return object
    }

    static func list(_ objects: [JSONObject]) throws(ProtocolError) -> [ConfigurationFault] {
        var faults: [ConfigurationFault] = []
        for object in objects {
            faults.append(try ConfigurationFault(json: object))
        }
        return faults
    }
}
