// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing

@testable import tokenctl

/// The journal's fields as lines of `tokenctl log`.
@Suite struct LogEntryTests {
    @Test func `a served token is one line, with how often and to whom`() throws {
        let fields = [
            "TOKEND_EVENT": "token_served", "TOKEND_ACCOUNT": "work",
            "TOKEND_CLIENT": "42 /usr/bin/mbsync mail.service",
            "TOKEND_COUNT": "7",
        ]
        let entry = try #require(LogEntry(at: 100, fields))
        #expect(entry.words == "token, 7 times" && entry.client == "/usr/bin/mbsync mail.service" && entry.pid == 42)
        #expect(entry.matches(account: "work", client: "mbsync") && entry.matches(account: nil, client: nil))
        #expect(!entry.matches(account: "home", client: nil) && !entry.matches(account: nil, client: "mutt"))
        #expect(entry.json.object?["count"] == 7 && entry.json.object?["method"] == nil)
    }

    @Test func `a refusal says what was refused`() throws {
        let fields = [
            "TOKEND_EVENT": "refused", "TOKEND_CLIENT": "9 flatpak:org.example.Mail", "TOKEND_METHOD": "account.list",
        ]
        let entry = try #require(LogEntry(at: 1, fields))
        #expect(entry.words == "refused: account.list" && entry.account == nil && entry.count == 1)
        #expect(entry.json.object?["client"] == "flatpak:org.example.Mail")
    }

    @Test func `what is no event of ours is no line`() {
        #expect(LogEntry(at: 1, [:]) == nil)
        #expect(LogEntry(at: 1, ["TOKEND_EVENT": "refused"])?.client == "unknown")
    }
}
