// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import StrictJSON

/// One line of the daemon's journal about who had what. Pure.
package struct LogEntry: Sendable, Equatable {
    /// The fields that are read of each.
    package static let fields = [
        "TOKEND_EVENT", "TOKEND_ACCOUNT", "TOKEND_CLIENT", "TOKEND_CALLER", "TOKEND_COUNT", "TOKEND_METHOD",
    ]

    /// Unix seconds.
    package let at: Int64
    /// `token_served` or `refused`.
    package let event: String
    /// nil where it concerns none.
    package let account: String?
    /// The program, with its unit where it has one.
    package let client: String
    /// Its process.
    package let pid: Int64?
    /// The program that `tokenctl` got a token for; nil where none is known.
    package let caller: String?
    /// How many times.
    package let count: Int64
    /// What was refused.
    package let method: String?

    /// From the journal's fields; nil where they are another event's.
    package init?(at: Int64, _ fields: [String: String]) {
        guard let event = fields["TOKEND_EVENT"] else { return nil }
        self.at = at
        self.event = event
        account = fields["TOKEND_ACCOUNT"]
        let words = (fields["TOKEND_CLIENT"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        pid = words.first.flatMap { Int64($0) }
        client = words.count == 2 ? words[1] : "unknown"
        caller = fields["TOKEND_CALLER"]?.split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init)
        count = fields["TOKEND_COUNT"].flatMap { Int64($0) } ?? 1
        method = fields["TOKEND_METHOD"]
    }

    /// Whether it is what was asked for; a client is meant by any part of its name.
    package func matches(account: String?, client: String?) -> Bool {
        (account == nil || account == self.account) && (client.map { program.contains(text: $0) } ?? true)
    }

    /// Who had it, for people: the program that `tokenctl` was called by, where there is one.
    package var program: String { caller.map { "\($0) (with tokenctl)" } ?? client }

    /// As `--json` prints it.
    package var json: JSONValue {
        var object: JSONObject = ["at": .integer(at), "event": .string(event)]
        object["account"] = account.map { .string($0) }
        object["client"] = .string(client)
        object["caller"] = caller.map { .string($0) }
        object["pid"] = pid.map { .integer($0) }
        object["count"] = .integer(count)
        object["method"] = method.map { .string($0) }
        return .object(object)
    }

    /// What happened, for people.
    package var words: String {
        guard event == "refused" else { return count == 1 ? "token" : "token, \(count) times" }
        return "refused: " + (method ?? "?")
    }
}
