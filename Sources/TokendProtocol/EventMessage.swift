// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import StrictJSON

/// The type of an event; unknown ones decode to themselves.
package struct EventType: OpenWord {
    /// The word on the wire.
    package let rawValue: String

    /// The type with this word, known or not.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An account has a new token; `expires_at`.
    package static let tokenRefreshed = EventType(rawValue: "token_refreshed")
    /// A refresh failed; `kind`, and `retry_at` if it will be tried again.
    package static let refreshFailed = EventType(rawValue: "refresh_failed")
    /// A login is waiting for the user.
    package static let loginStarted = EventType(rawValue: "login_started")
    /// A login ended, with or without success.
    package static let loginFinished = EventType(rawValue: "login_finished")
    /// An account's grant ended.
    package static let loginRequired = EventType(rawValue: "login_required")
    /// An account's grant ends within three days, or one, and only a sign-in moves that; `grant_expires_at`.
    package static let grantEnding = EventType(rawValue: "grant_ending")
    /// An account was signed out.
    package static let loggedOut = EventType(rawValue: "logged_out")
    /// The configuration was reloaded.
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
    /// The account; nil if it concerns none.
    package var account: String?
    /// Its time, in unix seconds.
    package var at: Int64 = 0
    /// The further members of its type.
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
        do throws(MemberFault) {
            try self.init(reading: MemberReader(json))
        } catch {
            throw ProtocolError(inResult: error)
        }
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

    /// The notification as a line with its newline.
    package func line() -> [UInt8] {
        var output = Array(#"{"jsonrpc":"2.0","method":"event","params":"#.utf8)
        JSONWriter.append(encoded(), to: &output)
        output.append(contentsOf: "}\n".utf8)
        return output
    }

    /// Reads a message with a `method`; nil if it is not an event.
    init?(message: JSONObject) throws(ProtocolError) {
        guard message["method"] == "event", let params = message["params"]?.object else { return nil }
        try self.init(json: params)
    }
}

/// What an event says besides its account and its time; which of these it has depends on its type.
package struct EventDetails: WireMessage {
    /// The end of the new token, in unix seconds.
    package var expiresAt: Int64?
    /// What went wrong.
    package var kind: ErrorKind?
    /// When it is tried again, in unix seconds.
    package var retryAt: Int64?
    /// Which sign-in.
    package var loginID: String?
    /// Why a sign-in is needed.
    package var reason: String?
    /// The grant's end, in unix seconds.
    package var grantExpiresAt: Int64?
    /// The question's id, for `confirm.answer`.
    package var id: String?
    /// The program that asks, as `allow` names it.
    package var client: String?
    /// The program's own name for itself, which is not trusted.
    package var application: String?
    /// Whether "always" is a possible answer.
    package var always: Bool?
    /// The new provider of the account, if the question is about that.
    package var destination: String?
    /// What came of the question: `allowed`, `denied` or `unanswered`.
    package var outcome: String?

    package init() {}

    package static let members: [Member<Self>] = [
        .optional("expires_at", \.expiresAt),
        .optional("kind", \.kind),
        .optional("retry_at", \.retryAt),
        .optional("login_id", \.loginID),
        .optional("reason", \.reason),
        .optional("grant_expires_at", \.grantExpiresAt),
        .optional("id", \.id),
        .optional("client", \.client),
        .optional("application", \.application),
        .optional("always", \.always),
        .optional("destination", \.destination),
        .optional("outcome", \.outcome),
    ]

    /// What a title calls a program by its name in the words of `allow`: of a file the last part of its path, of a sandbox
    /// what it is called by.
    package static func shortName(of client: String) -> String {
        let path = path(in: client) ?? client
        guard !path.hasPrefix("/") else { return path.split(separator: "/").last.map(String.init) ?? path }
        return path.split(separator: ":", maxSplits: 1).last.map(String.init) ?? path
    }

    /// What a sentence calls it: its whole path, and whether `tokenctl` asks for it; of a sandbox the words of `allow`.
    package static func fullName(of client: String) -> String {
        guard let path = path(in: client) else { return client }
        return client.hasPrefix("via:") ? path + " (with tokenctl)" : path
    }

    private static func path(in client: String) -> String? {
        ["via:exe:", "exe:"].first(where: client.hasPrefix).map { String(client.dropFirst($0.count)) }
    }
}
