// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import Linux
import Systemd
import TokendProtocol

/// One line of the log.
struct LogLine {
    var priority: Journal.Priority
    var message: String
    var fields: [Journal.Field]

    init(_ priority: Journal.Priority, _ message: String, _ fields: [Journal.Field] = []) {
        self.priority = priority
        self.message = message
        self.fields = fields
    }

    /// Says that the environment's message bus is missing and another one is used; nil if it is not.
    init?(sessionBusIn environment: [String: String]) {
        guard let living = SessionBusAddress.replacement(environment: environment),
            let named = environment["DBUS_SESSION_BUS_ADDRESS"]
        else { return nil }
        let stale = DisplayText.sanitized(named)
        self.init(
            .warning,
            "DBUS_SESSION_BUS_ADDRESS is \(stale), where nothing answers; \(living) is used instead"
        )
    }

    /// The line for an event; `tokenServed` has other lines.
    init(_ event: BrokerEvent) {
        switch event {
        case .tokenRefreshed(let account, _):
            self.init(.info, "\(account): renewed", Self.fields("token_refreshed", account))
        case .tokenDerived(let account, let variant):
            self.init(
                .info,
                "\(account): fetched a token for \(variant.description)",
                Self.fields("token_refreshed", account)
            )
        case .refreshFailed(let account, let error), .tokenRefused(let account, let error):
            self.init(
                .warning,
                "\(account): \(error.message)",
                Self.fields("refresh_failed", account, kind: error.kind)
            )
        case .idTokenDropped(let account, let reason):
            self.init(
                .notice,
                "\(account): the provider's renewed ID token is not used, and the one before it is kept; the access token "
                    + "is served all the same (\(reason))",
                Self.fields("id_token_dropped", account)
            )
        case .grantEnded(let account, let reason, let oauthError):
            let detail = oauthError.map { " (\(DisplayText.sanitized($0)))" } ?? ""
            self.init(
                .warning,
                "\(account): a sign-in is needed: \(reason.rawValue)\(detail)",
                Self.fields("login_required", account, kind: .loginRequired)
            )
        case .grantEnding(let account, let end):
            self.init(
                .warning,
                "\(account): the sign-in ends at \(HTTPDate.text(unixTime: Int(end))), whether it is renewed or not; "
                    + "sign in again before with: tokenctl login \(account)",
                Self.fields("grant_ending", account)
            )
        case .storeFault(let account, let error):
            let subject = account.map { "\($0): " } ?? ""
            self.init(
                .warning,
                "\(subject)\(error.message)",
                Self.fields("store_fault", account, kind: error.protocolError.kind)
            )
        case .storeRolledBack(let account):
            self.init(
                .warning,
                "\(account): the secret store had an older sign-in (a backup?); the newer one was written to it again",
                Self.fields("store_rolled_back", account)
            )
        case .storeOpened:
            self.init(.info, "the secret store is open", Self.fields("store_unlocked", nil))
        case .loginStarted(let account, _):
            self.init(.info, "\(account): sign-in started", Self.fields("login_started", account))
        case .loginFinished(let account, _, nil):
            self.init(.notice, "\(account): signed in", Self.fields("login_finished", account))
        case .loginFinished(let account, _, let error?):
            self.init(
                .notice,
                "\(account): sign-in ended: \(error.message)",
                Self.fields("login_finished", account, kind: error.kind)
            )
        case .loggedOut(let account, let fault):
            let detail = fault.map { "; \($0)" } ?? ""
            self.init(.notice, "\(account): signed out\(detail)", Self.fields("logged_out", account))
        case .configurationRead(let accounts, let faults):
            let details = faults.map(\.description).joined(separator: "\n")
            self.init(
                faults.isEmpty ? .info : .warning,
                "configuration read: \(Self.count(accounts, "account")), \(Self.count(faults.count, "fault"))"
                    + (faults.isEmpty ? "" : "\n" + details),
                Self.fields("config_reloaded", nil)
            )
        case .browserFault(let error):
            self.init(.warning, error.message, Self.fields("browser_fault", nil))
        case .strangerRefused(let uid):
            let user = uid.map { "of another user (uid \($0))" } ?? "of an unknown user"
            self.init(
                .notice,
                "a program \(user) connected to the port of a sign-in, and was refused",
                Self.fields("stranger_refused", nil)
            )
        case .confirmWanted(let question):
            self.init(
                .notice,
                "\(question.account): you are asked whether \(question.client) may have a token",
                Self.fields("confirm_wanted", question.account) + [("TOKEND_CLIENT", question.client)]
            )
        case .confirmEnded(let question, _):
            self.init(.debug, "\(question.account): the question about \(question.client) is closed")
        case .notificationFault(let message):
            self.init(.info, "no notification: \(message)", Self.fields("notification_fault", nil))
        case .refused(let refused):
            let subject = refused.account.map { "\($0): " } ?? ""
            self.init(
                .notice,
                "\(subject)\(refused.method) refused to \(refused.client) [\(refused.pid)]",
                Self.fields("refused", refused.account, kind: .notAllowed) + [
                    ("TOKEND_CLIENT", "\(refused.pid) \(refused.client)"), ("TOKEND_METHOD", refused.method),
                ]
            )
        case .tokenServed(let account, _, _, _):
            self.init(.info, "\(account): token served", Self.fields("token_served", account))
        case .internalFault(let message):
            self.init(.error, message, Self.fields("internal_fault", nil, kind: .internalError))
        }
    }

    /// `1 account`, `2 accounts`
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)" + (number == 1 ? "" : "s")
    }

    static func fields(_ event: String, _ account: String?, kind: ErrorKind? = nil) -> [Journal.Field] {
        var fields: [Journal.Field] = [("TOKEND_EVENT", event)]
        if let id = messageIDs[event] { fields.append(("MESSAGE_ID", id)) }
        if let account { fields.append(("TOKEND_ACCOUNT", account)) }
        if let kind { fields.append(("TOKEND_KIND", kind.rawValue)) }
        return fields
    }

    /// One for each kind of event, for searches in the journal (sd_journal_print(3)); never changed.
    static let messageIDs = [
        "token_refreshed": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e001",
        "refresh_failed": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e002",
        "login_required": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e003",
        "grant_ending": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e00d",
        "store_fault": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e004",
        "store_unlocked": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e00c",
        "login_started": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e005",
        "login_finished": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e006",
        "logged_out": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e007",
        "config_reloaded": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e008",
        "browser_fault": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e009",
        "token_served": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e00a",
        "internal_fault": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e00b",
        "confirm_wanted": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e00e",
        "notification_fault": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e00f",
        "store_rolled_back": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e011",
        "refused": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e010",
        "stranger_refused": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e012",
        "id_token_dropped": "6f1d0f3d3c5a4d6c9a53f2f0a9a1e013",
    ]
}
