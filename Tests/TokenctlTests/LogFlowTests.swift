// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import TokendProtocol
import tokenctl

/// `tokenctl log` where the journal has no such lines.
@Suite struct LogFlowTests {
    private func daemon(_ daemon: JSONObject) throws -> StandInDaemon {
        try StandInDaemon { request in
            guard request.params["account"]?.string ?? "work" == "work" else {
                return .error("account_unknown", code: -32001, data: ["accounts": ["work"]])
            }
            return .result(["daemon": .object(daemon), "accounts": []])
        }
    }

    /// Surroundings in which `journalctl` is a script.
    private func withJournal(_ script: String) throws -> Surroundings {
        let path = "/tmp/tokenctl-test-journalctl-\(UInt64.random(in: 0 ... .max))"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o700)
        guard file >= 0 else { throw SystemFailure(errno) }
        let text = "#!/bin/sh\nrm \"$0\"\n\(script)\n"
        _ = write(file, text, text.utf8.count)
        close(file)
        var there = Surroundings()
        there.programs = ["journalctl": path]
        return there
    }

    @Test func `a mistyped account is an error with the likely name`() throws {
        let daemon = try daemon(["log": "journal"])
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["log", "wrok"], daemon)
        #expect(outcome.code == 64)
        #expect(
            outcome.talk
                == "tokenctl: there is no account “wrok”; did you mean “work”?\n  → tokenctl log work\n"
        )
        #expect(try Surroundings().run(["log", "wrok", "--json"], daemon).json?["error"] != nil)
        let known = try withJournal("").run(["log", "work"], daemon)
        #expect(known.code == 0 && known.talk == "No matching log entries.\n")
    }

    @Test func `without a daemon the journal is read all the same`() throws {
        let outcome = try withJournal("").run(["log", "no-such-account-here"])
        #expect(outcome.code == 0 && outcome.talk == "No matching log entries.\n")
    }

    @Test func `entries are shown as journalctl tells them`() throws {
        let line = #"{"__REALTIME_TIMESTAMP":"1796047509123456","TOKEND_EVENT":"refused","TOKEND_CLIENT":"9 x"}"#
        let outcome = try withJournal("echo '\(line)'").run(["log", "--json"])
        #expect(outcome.json?["entries"]?.array?.first?.object?["at"] == 1_796_047_509)
        #expect(outcome.json?["entries"]?.array?.first?.object?["client"] == "x")
    }

    @Test func `where journalctl is missing or fails, log fails and says why`() throws {
        let missing = try Surroundings().run(["log"])
        #expect(missing.code == ExitCode.unavailable)
        #expect(missing.talk == "tokenctl: journalctl is not installed\n  → apt install systemd\n")
        let failing = try withJournal("echo 'no access' >&2; exit 1").run(["log"])
        #expect(failing.code == ExitCode.unavailable && failing.talk.contains("the journal cannot be read: no access"))
    }

    @Test func `of a daemon that was started by hand it says where the log is, within the terminal's width`() throws {
        let daemon = try daemon(["log": "stderr", "log_file": "/home/anna/.local/state/tokend.log"])
        defer { daemon.stop() }
        var there = Surroundings()
        let sentence = "The tokend that runs was started by hand, not by systemd: its log goes to"
        #expect(
            try there.run(["log", "work"], daemon).talk.contains("\(sentence) /home/anna/.local/state/tokend.log.\n")
        )
        there.isInteractive = true
        let lines = try there.run(["log", "work"], daemon).talk.split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { DisplayWidth.of(String($0)) <= 80 }, "\(lines)")
    }

    @Test(
        arguments: [
            (["log": "journal"], nil), ([:], nil), (["log": "stderr"], "whatever started it."),
            (["log": "stderr", "log_file": "/dev/null"], "/dev/null, and is lost."),
            (["log": "stderr", "log_file": "/dev/pts/3"], "goes to /dev/pts/3."),
        ] as [(JSONObject, String?)]
    )
    func `where a log is`(_ daemon: JSONObject, _ end: String?) {
        let daemon = DaemonStatus(tolerating: daemon)
        let lines = LogPlace(daemon)?.lines(isInstalled: false)
        #expect(lines?.count == (end == nil ? nil : 1))
        #expect(end.map { lines?.first?.hasSuffix($0) == true } ?? (lines == nil))
        #expect(LogPlace(daemon)?.lines(isInstalled: true).count == (end == nil ? nil : 2))
    }
}
