// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// One account of a `status` result, as it is shown: what its state means for a user and what to do about it. Pure.
package struct AccountView: Sendable {
    /// Its name, safe for a terminal.
    package let account: String
    private let status: AccountStatus
    private var state: AccountState { status.state }

    /// From an entry of `accounts`; whatever it lacks is not shown.
    package init(_ status: AccountStatus) {
        self.status = status
        account = status.account.isEmpty ? "?" : TerminalText.sanitized(status.account, limit: 64)
    }

    private var isPaused: Bool { status.paused ?? false }

    /// Whether a client gets a token now.
    package func isUsable(at now: Int64) -> Bool {
        switch state {
        case .ready, .refreshing: true
        case .retrying: holdsToken(at: now)
        default: false
        }
    }

    private func holdsToken(at now: Int64) -> Bool {
        status.expiresAt.map { $0 > now } ?? false
    }

    /// The row of the table: account, state, token's end, next refresh, who.
    package func row(at now: Int64) -> [Table.Cell] {
        let (phrase, meaning) = statePhrase(at: now)
        return [
            Table.Cell(account, .strong), Table.Cell(phrase, meaning), Table.Cell(endPhrase(at: now)),
            Table.Cell(refreshPhrase(at: now), .quiet),
            Table.Cell(TerminalText.sanitized(status.identity ?? status.subject ?? "")),
        ]
    }

    /// Its state in a word or two, and what that means.
    func statePhrase(at now: Int64) -> (String, Palette.Meaning) {
        switch state {
        case .ready: ("ready", .good)
        case .refreshing: ("refreshing", .good)
        case .retrying: ("retrying", holdsToken(at: now) ? .passing : .bad)
        case .signedOut: ("signed out", .quiet)
        case .loginPending: ("waiting for you", .passing)
        case .loginRequired: ("sign in again", .bad)
        case .storeLocked: ("store locked", .passing)
        case .misconfigured: ("misconfigured", .bad)
        case .unknown: ("not known yet", .quiet)
        default: (TerminalText.sanitized(state.rawValue, limit: 20), .passing)
        }
    }

    private func endPhrase(at now: Int64) -> String {
        if let end = status.expiresAt { return TimePhrase.relative(end, to: now) }
        return state == .ready ? "not stated" : ""
    }

    private func refreshPhrase(at now: Int64) -> String {
        if isPaused { return "paused" }
        if state == .retrying {
            return status.fault?.retryAt.map { TimePhrase.relative($0, to: now) } ?? "when it is asked for"
        }
        guard let next = status.refreshAt, isUsable(at: now) else { return "" }
        return TimePhrase.relative(next, to: now)
    }

    /// What is known of it, each with its name.
    package func details(at now: Int64) -> [(name: String, value: String)] {
        func moment(_ time: Int64?) -> String? { time.map { TimePhrase.relative($0, to: now) } }
        func text(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : TerminalText.sanitized($0) } }
        let all = [
            ("issuer", text(status.issuer)), ("client id", text(status.clientID)), ("scope", text(status.scope)),
            ("subject", text(status.subject)), ("last refresh", moment(status.refreshedAt)),
            ("grant ends", moment(status.grantExpiresAt)),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    /// What is wrong, in sentences; empty where nothing is.
    package func faults(at now: Int64) -> [String] {
        var lines: [String] = []
        if let reason = status.reason, let phrase = Self.reasons[reason] { lines.append(phrase) }
        if let fault = status.fault, !fault.message.isEmpty {
            let ago = TimePhrase.relative(fault.at, to: now)
            let time = fault.at == 0 || ago == "now" ? "" : " (\(ago))"
            lines.append(TerminalText.sanitized(fault.message, limit: 2000) + time)
        }
        if isEnding, let end = status.grantExpiresAt {
            lines.append("The sign-in ends \(TimePhrase.relative(end, to: now)), whether it is renewed or not.")
        }
        if let pending = status.login, pending.expiresAt != 0 {
            let end = TimePhrase.relative(pending.expiresAt, to: now)
            lines.append("A sign-in waits in the browser; it ends \(end).")
        }
        return lines
    }

    /// What the daemon says of its fault, without the time.
    package var faultMessage: String? {
        status.fault.flatMap { $0.message.isEmpty ? nil : TerminalText.sanitized($0.message, limit: 600) }
    }

    /// A user should sign in anew soon.
    private var isEnding: Bool { status.grantEnding == true }

    private var isFaultyFile: Bool { status.fault?.kind == .configInvalid }

    /// The command that leads on; nil where none is needed.
    package var next: String? {
        let account = ShellWord.quoted(account)
        return switch state {
        case .signedOut, .loginRequired, .loginPending: "tokenctl login \(account)"
        case .storeLocked: "tokenctl unlock"
        // A fault in a file names its place; another one is the provider's word about the settings.
        case .misconfigured: isFaultyFile ? ConfigFault.mendIt : "tokenctl account show \(account)"
        default: isPaused ? "tokenctl resume \(account)" : isEnding ? "tokenctl login \(account)" : nil
        }
    }

    private static let reasons: [LoginReason: String] = [
        .ended: "The provider ended the sign-in.",
        .configChanged: "The account's settings changed since the sign-in.",
        .lostRotation: "The newest refresh token was lost.",
        .subject: "The provider answered for another user than the one who signed in.",
        .stepUp: "The provider asks for a stronger sign-in.",
        .refused: "The provider refuses to renew the sign-in.",
    ]
}
