// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// What happened, in the word of `events.subscribe`; one that this version does not know stays itself.
package struct EventType: OpenWord {
    /// The word on the wire.
    package let rawValue: String

    /// The type with this word, known or not.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An account has a new token; `expires_at`.
    package static let tokenRefreshed = EventType(rawValue: "token_refreshed")
    /// A refresh failed; `kind`, and `retry_at` where it will be tried again.
    package static let refreshFailed = EventType(rawValue: "refresh_failed")
    /// A login is waiting for the user.
    package static let loginStarted = EventType(rawValue: "login_started")
    /// A login ended, well or not.
    package static let loginFinished = EventType(rawValue: "login_finished")
    /// An account's grant ended.
    package static let loginRequired = EventType(rawValue: "login_required")
    /// An account's grant ends within three days, or one, and only a sign-in puts that off; `grant_expires_at`.
    package static let grantEnding = EventType(rawValue: "grant_ending")
    /// An account was signed out.
    package static let loggedOut = EventType(rawValue: "logged_out")
    /// The configuration was read anew.
    package static let configReloaded = EventType(rawValue: "config_reloaded")
    /// The secret store was locked.
    package static let storeLocked = EventType(rawValue: "store_locked")
    /// The secret store was unlocked.
    package static let storeUnlocked = EventType(rawValue: "store_unlocked")
    /// A user is asked whether a client may have a token; `id`, `client`.
    package static let confirmWanted = EventType(rawValue: "confirm_wanted")
    /// That question is over; `id`, `outcome`.
    package static let confirmEnded = EventType(rawValue: "confirm_ended")
}

/// A notification to a subscriber of `events.subscribe`.
package struct EventMessage: WireMessage {
    /// What happened.
    package var type = EventType.configReloaded
    /// The account that it happened to; nil where it concerns none.
    package var account: String?
    /// When, in unix seconds.
    package var at: Int64 = 0
    /// The members that the type says besides.
    package var details: JSONObject = [:]

    /// An event.
    package init(_ type: EventType, account: String? = nil, at: Int64, details: JSONObject = [:]) {
        self.type = type
        self.account = account
        self.at = at
        self.details = details
    }

    package init() {}

    package static let members: [Member<Self>] = [
        .required("type", \.type),
        .optional("account", \.account),
        .required("at", \.at),
    ]

    /// Reads the notification's `params`.
    package init(json: JSONObject) throws(ProtocolError) {
        try self.init(reading: MemberReader(result: json))
        details = json.keeping { !Self.names.contains($0) }
    }

    /// The notification's `params`.
    package func encoded() -> JSONObject {
        var object = declaredMembers
        for member in details where object[member.name] == nil {
            object[member.name] = member.value
        }
        return object
    }

    /// The notification as a line, its end included.
    package func line() -> [UInt8] {
        var output = Array(#"{"jsonrpc":"2.0","method":"event","params":"#.utf8)
        JSONWriter.append(encoded(), to: &output)
        output.append(contentsOf: "}\n".utf8)
        return output
    }

    /// Reads a message that has a `method`; nil where it is another notification than an event.
    init?(message: JSONObject) throws(ProtocolError) {
        guard message["method"] == "event", let params = message["params"]?.object else { return nil }
        try self.init(json: params)
    }
}

/// What `confirm_wanted` and `confirm_ended` say besides the account.
package struct ConfirmDetails: WireMessage {
    /// Which question, for `confirm.answer`.
    package var id: String?
    /// The program that asks, in the words of `allow`.
    package var client: String?
    /// What it calls itself; not to be trusted.
    package var application: String?
    /// Whether "always" can be answered.
    package var always: Bool?
    /// The provider that the account is to be changed to, where that is asked.
    package var destination: String?
    /// What came of it: `allowed`, `denied` or `unanswered`.
    package var outcome: String?

    package init() {}

    package static let members: [Member<Self>] = [
        .optional("id", \.id),
        .optional("client", \.client),
        .optional("application", \.application),
        .optional("always", \.always),
        .optional("destination", \.destination),
        .optional("outcome", \.outcome),
    ]
}
