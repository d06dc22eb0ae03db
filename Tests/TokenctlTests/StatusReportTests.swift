// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import TokendProtocol
import tokenctl

@Suite struct StatusReportTests {
    private let now: Int64 = 1_000_000

    private func report(_ text: String, detailed: Bool = false) throws -> StatusReport {
        StatusReport(
            Status.Result(tolerating: try JSONReader().read(text).object ?? [:]),
            now: now,
            detailed: detailed
        )
    }

    private func lines(_ text: String, detailed: Bool = false) throws -> [String] {
        try report(text, detailed: detailed).lines(width: 80, palette: .plain)
    }

    @Test func `what is well is one row an account`() throws {
        let text = """
            {"daemon": {}, "accounts": [
              {"account": "work", "state": "ready", "expires_at": 1002520, "refresh_at": 1002000,
               "identity": "anna@example.com"},
              {"account": "ci", "state": "ready"}]}
            """
        #expect(
            try lines(text) == [
                "ACCOUNT  STATE  TOKEN ENDS  NEXT REFRESH  SIGNED IN AS",
                "work     ready  in 42 min   in 33 min     anna@example.com",
                "ci       ready  not stated",
            ]
        )
        #expect(try report(text).exitCode == 0)
    }

    @Test func `a sign-in that ends soon is told of with the next step (engine rule 18)`() throws {
        let text = """
            {"daemon": {}, "accounts": [
              {"account": "work", "state": "ready", "expires_at": 1002520, "refresh_at": 1002000,
               "grant_expires_at": 1200000, "grant_ending": true},
              {"account": "ci", "state": "ready", "grant_expires_at": 9000000}]}
            """
        #expect(
            try lines(text) == [
                "ACCOUNT  STATE  TOKEN ENDS  NEXT REFRESH  SIGNED IN AS",
                "work     ready  in 42 min   in 33 min",
                "  The sign-in ends in 2 days, whether it is renewed or not.",
                "  → tokenctl login work",
                "ci       ready  not stated",
            ]
        )
        #expect(try report(text).exitCode == 0)
    }

    @Test func `beside every fault stands the next step`() throws {
        let text = """
            {"daemon": {"store": {"kind": "secret-service", "state": "ready"}}, "accounts": [
              {"account": "mail", "state": "login_required", "reason": "ended"},
              {"account": "old", "state": "signed_out"},
              {"account": "net", "state": "retrying", "expires_at": 1000120, "refresh_at": 999000,
               "fault": {"kind": "provider_unreachable", "message": "login.example.com cannot be resolved.",
                         "at": 999700, "retry_at": 1000060}}]}
            """
        #expect(
            try lines(text) == [
                "ACCOUNT  STATE          TOKEN ENDS  NEXT REFRESH  SIGNED IN AS",
                "mail     sign in again",
                "  The provider ended the sign-in.",
                "  → tokenctl login mail",
                "old      signed out",
                "  → tokenctl login old",
                "net      retrying       in 2 min    in 1 min",
                "  login.example.com cannot be resolved. (5 min ago)",
            ]
        )
        #expect(try report(text).exitCode == 1)
    }

    @Test(arguments: [
        ("ready", 0), ("refreshing", 0), ("retrying", 1), ("signed_out", 1), ("login_pending", 1),
        ("login_required", 1), ("store_locked", 1), ("misconfigured", 1), ("unknown", 1), ("brand_new", 1),
    ])
    func `a state is usable or not`(_ state: String, _ code: Int32) throws {
        let text = #"{"accounts": [{"account": "a", "state": "\#(state)", "expires_at": 999999}]}"#
        #expect(try report(text).exitCode == code)
    }

    @Test func `a failed refresh leaves an account usable while its token holds`() throws {
        let text = #"{"accounts": [{"account": "a", "state": "retrying", "expires_at": 1000001}]}"#
        #expect(try report(text).exitCode == 0)
    }

    @Test func `no account at all: the command that asks for the rest`() throws {
        #expect(
            try lines(#"{"daemon": {}, "accounts": []}"#) == [
                "No account yet. Make one and sign in:",
                "  → tokenctl account add",
            ]
        )
    }

    @Test func `what is wrong around the accounts is said below them`() throws {
        let text = """
            {"daemon": {"store": {"kind": "secret-service", "state": "locked"},
                        "config": {"faults": [{"file": "config.json5", "line": 3, "member": "store",
                                               "message": "There is no store “x”."}]}},
             "accounts": [{"account": "a", "state": "ready", "expires_at": 1000100}]}
            """
        #expect(
            try lines(text).suffix(6) == [
                "", "config.json5:3: store: There is no store “x”.",
                "→ fix it; tokend notices the change by itself", "", "The secret store is locked.",
                "→ tokenctl unlock",
            ]
        )
    }

    @Test func `a fault that a restart mends is told with the restart`() throws {
        let text = """
            {"daemon": {"config": {"faults": [
              {"file": "config.json5", "line": 3, "member": "store", "mend": "restart",
               "message": "takes effect when tokend is restarted"},
              {"file": "/c/a.json5", "mend": "wait", "message": "cannot read it"}]}},
             "accounts": [{"account": "a", "state": "ready", "expires_at": 1000100}]}
            """
        #expect(
            try lines(text).suffix(5) == [
                "", "config.json5:3: store: takes effect when tokend is restarted",
                "→ systemctl --user restart tokend", "", "/c/a.json5: cannot read it",
            ]
        )
    }

    @Test(
        arguments: [
            ([nil], ["fix it; tokend notices the change by itself"]),
            (["restart"], ["systemctl --user restart tokend"]),
            (["wait"], []), (["later"], ["fix it; tokend notices the change by itself"]),
            (
                ["restart", nil, "restart", nil],
                ["fix it; tokend notices the change by itself", "systemctl --user restart tokend"]
            ),
        ] as [([String?], [String])]
    )
    func `after a reload each step is named once, and only what helps`(mends: [String?], steps: [String]) {
        let faults = mends.map { mend in
            var fault: JSONObject = ["file": "/c/config.json5", "message": "is at fault"]
            fault["mend"] = mend.map { .string($0) }
            return ConfigFault(ConfigurationFault(tolerating: fault))
        }
        #expect(ConfigFault.steps(faults, isService: true) == steps)
        let byHand = ConfigFault.steps(faults, isService: false)
        #expect(byHand.count == steps.count && !byHand.contains { $0.contains("systemctl") })
    }

    @Test func `a command that ends the daemon's sentence is told once`() throws {
        let text = """
            {"daemon": {"log": "stderr", "store": {"kind": "file", "state": "locked"}, "config": {"faults": [
              {"file": "config.json5", "mend": "restart", "message": "takes effect when tokend is restarted"}]}},
             "accounts": [{"account": "a", "state": "store_locked", "fault": {"at": 1000000,
               "message": "the store /s is locked; give its passphrase with: tokenctl unlock"}}]}
            """
        #expect(
            try lines(text).dropFirst(2) == [
                "  the store /s is locked; give its passphrase with:", "  → tokenctl unlock", "",
                "config.json5: takes effect when tokend is restarted",
                "→ end tokend, and start it again as it was started",
            ]
        )
        let earlier = text.replacing("1000000", with: "999940")
        #expect(try lines(earlier).count { $0.contains("tokenctl unlock") } == 1)
    }

    @Test func `an account's fault is told once, and without a bare “now”`() throws {
        let text = """
            {"daemon": {"config": {"faults": [{"file": "/c/a.json5", "line": 2, "member": "issuer",
                                               "message": "must be a URL"}]}},
             "accounts": [
              {"account": "a", "state": "misconfigured",
               "fault": {"kind": "config_invalid", "message": "/c/a.json5:2: issuer: must be a URL", "at": 1000000}},
              {"account": "b", "state": "misconfigured",
               "fault": {"kind": "provider_error", "message": "the provider said: invalid_client", "at": 999940}}]}
            """
        #expect(
            try lines(text).dropFirst() == [
                "a        misconfigured", "  /c/a.json5:2: issuer: must be a URL",
                "  → fix it; tokend notices the change by itself", "b        misconfigured",
                "  the provider said: invalid_client (1 min ago)", "  → tokenctl account show b",
            ]
        )
    }

    @Test func `one account that was named is shown whole`() throws {
        let text = """
            {"accounts": [{"account": "a", "state": "ready", "expires_at": 1000100, "issuer": "https://i.example",
              "client_id": "c", "scope": "openid email", "refreshed_at": 999940}]}
            """
        #expect(
            try lines(text, detailed: true).suffix(4) == [
                "  issuer        https://i.example", "  client id     c", "  scope         openid email",
                "  last refresh  1 min ago",
            ]
        )
    }

    @Test func `without a store it says what to start, and what does without one`() throws {
        let missing = try lines(
            #"{"daemon": {"store": {"kind": "secret-service", "state": "unavailable"}}, "accounts": []}"#
        )
        #expect(missing.suffix(3).first == "Nobody can sign in, because the secret store cannot be used.")
        #expect(missing.suffix(2).map { $0.prefix(2) } == ["→ ", "→ "])
        #expect(missing.last?.contains("store: \"file\" in ~/.config/tokend/config.json5") == true)
        #expect(missing.suffix(3).allSatisfy { DisplayWidth.of($0) <= 80 })
        let file = try lines(#"{"daemon": {"store": {"kind": "file", "state": "unavailable"}}, "accounts": []}"#)
        #expect(file.last == "→ tokenctl doctor")
    }

    @Test(arguments: [
        ("\"frozen\": true, \"provider\": \"gnome-keyring-daemon\"", "→ systemctl --user restart gnome-keyring-daemon"),
        ("\"provider\": \"gnome-keyring-daemon\"", "→ seahorse   (“Passwords and Keys”)"),
        ("\"provider\": \"keepassxc\"", "→ keepassxc   (open a database, and expose a group to the Secret Service)"),
    ])
    func `a keyring that hangs and one without a place for sign-ins have their own ways out`(
        _ members: String,
        _ step: String
    ) throws {
        let store =
            "\"kind\": \"secret-service\", \"state\": \"unavailable\", \"message\": \"why it is so\", \(members)"
        let lines = try lines("{\"daemon\": {\"store\": {\(store)}}, \"accounts\": []}")
        #expect(lines.contains("Nobody can sign in, because the secret store cannot be used: why it is so"))
        #expect(lines.last == step)
    }

    @Test func `thirty accounts fit on a screen of 24 lines, usable ones first`() throws {
        let accounts = (1...30).map { number in
            let state = number % 10 == 0 ? "signed_out" : number % 7 == 0 ? "login_required" : "ready"
            return "{\"account\": \"account-\(number)\", \"state\": \"\(state)\", \"expires_at\": 1000100}"
        }
        let report = try report("{\"daemon\": {}, \"accounts\": [\(accounts.joined(separator: ","))]}")
        let lines = report.lines(width: 80, palette: .plain, height: 22)
        #expect(lines.count <= 22 && lines.allSatisfy { DisplayWidth.of($0) <= 80 })
        #expect(lines[0] == "30 accounts, 23 usable. For one of them: tokenctl status ACCOUNT")
        #expect(lines[2] == "23 ready" && lines[3].hasPrefix("  account-1, account-2, "))
        #expect(lines.contains("4 sign in again") && lines.contains("  → tokenctl login account-7"))
        #expect(lines.contains("3 signed out") && lines.last == "  → tokenctl login account-10")
        // Where there is room, and where no screen is, each has its line.
        #expect(report.lines(width: 80, palette: .plain, height: 100).count > 30)
        #expect(report.lines(width: 80, palette: .plain).count > 30)
    }

    @Test func `a try that nobody has put a time to is left to who asks`() throws {
        let text = #"{"accounts": [{"account": "a", "state": "retrying", "expires_at": 1000120}]}"#
        #expect(try lines(text)[1] == "a        retrying  in 2 min    when it is asked for")
    }

    @Test func `no line is wider than 80 columns, and nothing steers the terminal`() throws {
        let long = String(repeating: "x", count: 64)
        let text = """
            {"daemon": {"config": {"faults": [{"file": "\(long)", "message": "\(long) \(long)"}]}}, "accounts": [
              {"account": "\(long)", "state": "retrying", "expires_at": 1002520, "refresh_at": 1002000,
               "identity": "\\u001b[2J\(long)\(long)", "scope": "\(long) \(long) \(long)",
               "fault": {"message": "\(long) \(long) \\u009b31m", "at": 1, "retry_at": 1000020}}]}
            """
        for line in try lines(text, detailed: true) {
            // What a user must copy stays whole.
            if !line.contains("→") { #expect(DisplayWidth.of(line) <= 80, "\(line)") }
            #expect(!line.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        }
    }

    @Test func `a result of another shape is no crash`() throws {
        for text in ["{}", #"{"accounts": [1, {}], "daemon": 3}"#, #"{"accounts": {"a": 1}}"#] {
            _ = try lines(text)
        }
    }
}
