// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// One account of a `status` result, as it is shown: what its state means for a user and what to do about it. Pure.
package struct AccountView: Sendable {
    /// Its name, safe for a terminal.
    package let account: String
    /// Its state as the daemon writes it.
    package let state: String
    private let members: JSONObject

    /// From an entry of `accounts`; whatever it lacks is not shown.
    package init(_ members: JSONObject) {
        self.members = members
        account = TerminalText.sanitized(members["account"]?.string ?? "?", limit: 64)
        state = members["state"]?.string ?? "unknown"
    }

    /// A text member, safe for a terminal.
    package func text(_ name: String) -> String? {
        members[name]?.string.map { TerminalText.sanitized($0) }
    }

    /// A moment in unix seconds.
    package func time(_ name: String) -> Int64? { members[name]?.int64 }

    /// Whether its background work is stopped.
    package var isPaused: Bool { members["paused"]?.bool ?? false }

    /// Whether a client gets a token now.
    package func isUsable(at now: Int64) -> Bool {
        switch state {
        case "ready", "refreshing": true
        case "retrying": holdsToken(at: now)
        default: false
        }
    }

    private func holdsToken(at now: Int64) -> Bool {
        time("expires_at").map { $0 > now } ?? false
    }

    /// The row of the table: account, state, token's end, next refresh, who.
    package func row(at now: Int64) -> [Table.Cell] {
        let (phrase, meaning) = statePhrase(at: now)
        return [
            Table.Cell(account, .strong), Table.Cell(phrase, meaning), Table.Cell(endPhrase(at: now)),
            Table.Cell(refreshPhrase(at: now), .quiet), Table.Cell(text("identity") ?? text("subject") ?? ""),
        ]
    }

    private func statePhrase(at now: Int64) -> (String, Palette.Meaning) {
        switch state {
        case "ready": ("ready", .good)
        case "refreshing": ("refreshing", .good)
        case "retrying": ("retrying", holdsToken(at: now) ? .passing : .bad)
        case "signed_out": ("signed out", .quiet)
        case "login_pending": ("waiting for you", .passing)
        case "login_required": ("sign in again", .bad)
        case "store_locked": ("store locked", .passing)
        case "misconfigured": ("misconfigured", .bad)
        case "unknown": ("not known yet", .quiet)
        default: (TerminalText.sanitized(state, limit: 20), .passing)
        }
    }

    private func endPhrase(at now: Int64) -> String {
        if let end = time("expires_at") { return TimePhrase.relative(end, to: now) }
        return state == "ready" ? "not stated" : ""
    }

    private func refreshPhrase(at now: Int64) -> String {
        if isPaused { return "paused" }
        if let retry = members["fault"]?.object?["retry_at"]?.int64, state == "retrying" {
            return TimePhrase.relative(retry, to: now)
        }
        guard let next = time("refresh_at"), isUsable(at: now) else { return "" }
        return TimePhrase.relative(next, to: now)
    }

    /// What is wrong, in sentences; empty where nothing is.
    package func faults(at now: Int64) -> [String] {
        var lines: [String] = []
        if let reason = text("reason"), let phrase = Self.reasons[reason] { lines.append(phrase) }
        if let fault = members["fault"]?.object, let message = fault["message"]?.string {
            let ago = fault["at"]?.int64.map { TimePhrase.relative($0, to: now) }
            let time = ago.map { $0 == "now" ? "" : " (\($0))" } ?? ""
            lines.append(TerminalText.sanitized(message, limit: 2000) + time)
        }
        if isEnding, let end = time("grant_expires_at") {
            lines.append("The sign-in ends \(TimePhrase.relative(end, to: now)), and no renewal puts that off.")
        }
        if let pending = members["login"]?.object?["expires_at"]?.int64 {
            lines.append("A sign-in waits in the browser; it ends \(TimePhrase.relative(pending, to: now)).")
        }
        return lines
    }

    /// What the daemon says of its fault, without the time.
    package var faultMessage: String? {
        members["fault"]?.object?["message"]?.string.map { TerminalText.sanitized($0, limit: 600) }
    }

    /// A user should sign in anew soon.
    private var isEnding: Bool { members["grant_ending"]?.bool == true }

    private var isFaultyFile: Bool { members["fault"]?.object?["kind"]?.string == "config_invalid" }

    /// The command that leads on; nil where none is needed.
    package var next: String? {
        let account = ShellWord.quoted(account)
        return switch state {
        case "signed_out", "login_required", "login_pending": "tokenctl login \(account)"
        case "store_locked": "tokenctl unlock"
        // A fault in a file names its place; another one is the provider's word about the settings.
        case "misconfigured": isFaultyFile ? ConfigFault.mendIt : "tokenctl account show \(account)"
        default: isPaused ? "tokenctl resume \(account)" : isEnding ? "tokenctl login \(account)" : nil
        }
    }

    private static let reasons = [
        "ended": "The provider ended the sign-in.",
        "config_changed": "The account's settings changed since the sign-in.",
        "lost_rotation": "The newest refresh token was lost.",
        "subject": "The provider answered for another person than the one who signed in.",
        "step_up": "The provider asks for a stronger sign-in.",
        "refused": "The provider refuses to renew the sign-in.",
    ]
}
