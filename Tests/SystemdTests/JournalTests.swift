// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(1)))
struct JournalTests {
    @Test func `without a journal each line of a message has its level`() throws {
        let pipe = try Pipe()
        let journal = Journal(environment: [:], standardError: pipe.writeEnd)
        #expect(!journal.isStructured)
        journal.send(.warning, "one\ntwo\r\nthree", [("TOKEND_ACCOUNT", "work")])
        journal.send(.debug, "")
        pipe.closeWriteEnd()
        #expect(pipe.readAll() == "<4>one\n<4>two\n<4>three\n<7>\n")
    }

    @Test func `a line break in a message cannot pass for a line of another level`() {
        let lines = String(decoding: Journal.lines(.info, "x\r<0>forged"), as: UTF8.self)
        #expect(lines == "<6>x\n<6><0>forged\n")
    }

    @Test func `the journal is what JOURNAL_STREAM and stderr agree on`() throws {
        let pipe = try Pipe()
        var status = stat()
        fstat(pipe.writeEnd, &status)
        let named = "\(status.st_dev):\(status.st_ino)"
        #expect(Journal(environment: ["JOURNAL_STREAM": named], standardError: pipe.writeEnd).isStructured)
        // Redirected elsewhere since.
        #expect(!Journal(environment: ["JOURNAL_STREAM": named], standardError: pipe.readEnd + 100).isStructured)
        for wrong in ["", "1", "1:2:3", "\(named) ", "0:\(status.st_ino)"] {
            #expect(!Journal(environment: ["JOURNAL_STREAM": wrong], standardError: pipe.writeEnd).isStructured)
        }
    }

    @Test func `a message for the journal keeps its lines, and its fields their names`() {
        let entry = Journal.entry(.error, "a\nb", [("TOKEND_ACCOUNT", "work=1"), ("TOKEND_KIND", "")])
        #expect(
            entry.map { String(decoding: $0, as: UTF8.self) } == [
                "MESSAGE=a\nb", "PRIORITY=3", "TOKEND_ACCOUNT=work=1", "TOKEND_KIND=",
            ]
        )
    }

    @Test func `a reader that went away is no failure`() async throws {
        await #expect(processExitsWith: .success) {
            SignalMask.ignoreBrokenPipes()
            let pipe = try Pipe()
            close(pipe.readEnd)
            Journal(environment: [:], standardError: pipe.writeEnd).send(.info, "hello")
        }
    }
}
