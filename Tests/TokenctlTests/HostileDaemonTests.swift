// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

/// A program that speaks for the daemon and means ill: whatever it says, `tokenctl` ends by itself, and nothing of it
/// steers a terminal.
@Suite(.timeLimit(.minutes(1))) struct HostileDaemonTests {
    /// Escapes of both kinds, a control string, what turns the direction of a text, and a line of its own.
    private static let text = JSONValue.string("a\u{1B}[31m\u{9B}2J\u{1B}]0;t\u{07}\u{202E}\u{200B};b\nFORGED")
    private static let words = JSONValue.array([text, text])

    private static func url(_ begin: String) -> JSONValue { .string(begin + (text.string ?? "")) }

    private static let verbs = [
        ["status"], ["status", "a"], ["status", "--json"], ["account", "list"], ["account", "show", "a"],
        ["account", "add", "a", "--issuer", "https://i.example", "--client-id", "c"],
        ["account", "add", "a", "--issuer", "https://i.example", "--client-id", "c", "--replace"],
        ["account", "add", "--providers-from", "https://i.example/p.json"],
        ["account", "add", "--providers-from", "https://i.example/p.json", "--replace"],
        ["account", "add", "--list-providers"], ["account", "remove", "a"], ["login", "a", "--no-browser"],
        ["login", "a", "--device"], ["login", "a", "--issuer", "https://i.example", "--client-id", "c"],
        ["logout", "a"], ["logout", "--all"], ["logout", "a", "--end-session", "--no-browser"], ["token", "a"],
        ["token", "a", "--json"], ["token", "a", "--min-valid", "60"], ["token", "a", "--format", "header"],
        ["token", "a", "--format", "xoauth2"], ["refresh", "a"], ["pause"], ["unlock"], ["reload"], ["version"],
        ["doctor"], ["doctor", "a", "--trace"], ["policy", "list"], ["policy", "revoke", "a", "exe:/x"],
        ["credential", "docker", "list"], ["credential", "kubernetes"],
    ]

    /// As much as a method can answer.
    private static func result(_ method: String, _ number: Int64) -> JSONObject {
        let at = JSONValue.integer(number)
        switch method {
        case "status": return status(at)
        case "account.list": return ["accounts": words, "default": text]
        case "account.show": return ["account": text, "file": text, "config": ["allow": words, "x\u{1B}[1m": text]]
        case "provider.list": return ["providers": [preset]]
        case "provider.fetch":
            return ["providers": [["account": text, "title": text, "config": ["x": text]]], "refused": words]
        case "login.start":
            return [
                "login_id": text, "flow": "browser", "expires_at": at, "authorization_url": url("https://i.example/"),
                "start_url": url("http://127.0.0.1:1/"), "redirect_uri": url("http://127.0.0.1:1/"), "issuer": text,
                "user_code": text, "verification_uri": text, "verification_uri_complete": text, "interval": at,
            ]
        case "doctor":
            let exchange: JSONValue = ["request": text, "is_sent": true, "sent": words, "received": words]
            let check: JSONValue = ["name": text, "result": "fail", "detail": text, "mend": text]
            return ["checks": [check, check], "trace": [exchange]]
        case "policy.list": return ["decisions": [["account": text, "client": text, "at": at]]]
        case "config.reload": return ["faults": [fault(at)]]
        default: return rest(at)
        }
    }

    /// The members of all other answers at once.
    private static func rest(_ at: JSONValue) -> JSONObject {
        [
            "account": text, "file": text, "subject": text, "identity": text, "scope": text, "renewable": false,
            "issuer": text, "access_token": "t", "token_type": text, "refreshed": true, "expires_at": at,
            "id_token": "i", "id_token_expires_at": at, "revoked": false, "revocation_fault": ["message": text],
            "removal_pending": true, "removal_fault": text, "removal_store": text,
            "end_session_url": url("http://127.0.0.1:1/"), "end_session_fault": text, "version": text, "protocol": at,
            "pid": at, "methods": [:], "state": text,
        ]
    }

    private static let preset: JSONValue = [
        "provider": text, "title": text, "about": text, "notes": words, "file": text,
        "register": ["url": text, "as": text, "redirect": text],
        "asks": [["name": text, "about": text, "example": text, "default": text]],
    ]

    private static func fault(_ at: JSONValue) -> JSONValue {
        ["file": text, "line": at, "member": text, "message": text, "mend": text]
    }

    private static func status(_ at: JSONValue) -> JSONObject {
        let accounts = ["ready", "retrying", "login_required", "misconfigured", text.string ?? ""].map { state in
            JSONValue.object([
                "account": text, "issuer": text, "client_id": text, "state": .string(state), "scope": text,
                "subject": text, "identity": text, "flow": text, "renewable": true, "expires_at": at,
                "refresh_at": at, "refreshed_at": at, "grant_expires_at": at, "grant_ending": true, "reason": text,
                "fault": ["kind": text, "message": text, "at": at, "retry_at": at], "login": ["expires_at": at],
            ])
        }
        return [
            "daemon": [
                "version": text, "pid": at, "started_at": at, "socket": text, "store": ["kind": text, "state": text],
                "config": ["folder": text, "state": text, "faults": [fault(at)]], "clients": at, "requests": at,
                "refreshes": at, "log": text, "log_file": text,
            ],
            "accounts": .array(accounts),
        ]
    }

    private static func check(_ verb: [String], _ answer: @escaping @Sendable (String) -> StandInDaemon.Answer) throws {
        let daemon = try StandInDaemon { answer($0.method) }
        defer { daemon.stop() }
        var there = Surroundings()
        there.outputIsTerminal = true
        let outcome = try there.run(verb, daemon)
        let said = outcome.output + outcome.talk
        let steering = said.unicodeScalars.filter { scalar in
            scalar != "\n"
                && (scalar.properties.generalCategory == .control || "\u{202E}\u{200B}".unicodeScalars.contains(scalar))
        }
        #expect(steering.isEmpty, "\(verb): \(said.debugDescription)")
        #expect(!said.contains("\nFORGED"), "\(verb): \(said.debugDescription)")
    }

    @Test(arguments: verbs, [Int64.min, Int64.min + 1, Int64.max])
    func `no answer steers a terminal, and no number ends the program`(_ verb: [String], _ number: Int64) throws {
        try Self.check(verb) { method in
            method == "events.subscribe" ? .subscription([]) : .result(Self.result(method, number))
        }
    }

    @Test(
        arguments: verbs,
        [
            "account_unknown", "config_invalid", "insufficient_scope", "store_unavailable", "login_required",
            "x\u{1B}[1m",
        ]
    )
    func `nor does an error`(_ verb: [String], _ kind: String) throws {
        let text = Self.text, words = Self.words
        let data: JSONObject = [
            "account": text, "accounts": words, "file": text, "line": .integer(.min), "requested": text,
            "retry_at": .integer(.max), "client": text, "member": text,
        ]
        try Self.check(verb) { _ in .error(kind, code: -32000, data: data, message: text.string ?? "") }
    }
}
