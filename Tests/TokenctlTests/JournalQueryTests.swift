// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import tokenctl

/// What `journalctl` is asked for, and its answer.
@Suite struct JournalQueryTests {
    @Test func `the newest entries of this user's daemon are asked for`() {
        let arguments = JournalQuery(since: 7, uid: 1000).arguments
        #expect(arguments.contains("--since=@7") && arguments.contains("--output=json"))
        #expect(
            arguments.suffix(4) == ["_UID=1000", "_COMM=tokend", "TOKEND_EVENT=token_served", "TOKEND_EVENT=refused"]
        )
        #expect(!JournalQuery(since: nil, uid: 0).arguments.contains { $0.hasPrefix("--since") })
    }

    @Test func `each line is an entry, whose fields are texts, bytes or lists`() {
        let output = """
            {"__REALTIME_TIMESTAMP":"1500000","TOKEND_EVENT":"token_served","TOKEND_ACCOUNT":"work","TOKEND_CLIENT":"4 a"}
            {"__REALTIME_TIMESTAMP":"2999999","TOKEND_EVENT":"refused","TOKEND_CLIENT":[53,32,255,98],"TOKEND_METHOD":["x","y"]}
            """
        let entries = JournalQuery.entries(Array(output.utf8))
        #expect(entries.map(\.at) == [1, 2] && entries.map(\.account) == ["work", nil])
        #expect(entries.map(\.client) == ["a", "\u{FFFD}b"] && entries.map(\.method) == [nil, "x"])
    }

    @Test(arguments: [
        "", "no JSON", "{}", #"{"__REALTIME_TIMESTAMP":"x","TOKEND_EVENT":"refused"}"#,
        #"{"__REALTIME_TIMESTAMP":"1","TOKEND_EVENT":null}"#,
    ])
    func `what is no entry of ours is passed over`(line: String) {
        #expect(JournalQuery.entries(Array(line.utf8)).isEmpty)
    }
}
