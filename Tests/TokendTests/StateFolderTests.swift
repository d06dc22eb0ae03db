// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import StrictJSON
import Systemd
import Testing

@testable import tokend

/// `state.json`: a file that is not as it should be is no empty one, and is never lost.
@Suite(.timeLimit(.minutes(1))) struct StateFolderTests {
    @LoopActor private final class Log: EventLog {
        private(set) var faults: [String] = []

        func record(_ event: BrokerEvent) {
            if case .internalFault(let message) = event { faults.append(message) }
        }
    }

    private let disk: StoreFolder
    private let file: String

    init() throws {
        LoopThread.start
        disk = try StoreFolder()
        let folder = disk.folder + "/tokend"
        try #require(mkdir(folder, 0o700) == 0)
        file = folder + "/state.json"
    }

    @LoopActor private func start(_ log: Log) -> StateFolder {
        StateFolder(environment: ["XDG_STATE_HOME": disk.folder], loop: .main, log: log)
    }

    private var content: JSONObject? {
        disk.bytes(file).flatMap { try? JSONReader().read($0).object }
    }

    @Test @LoopActor func `no file is no fault, and what is noted is there again`() throws {
        let log = Log()
        let state = start(log)
        #expect(state.notes == LastingNotes() && state.fault == nil)
        #expect(state.change { $0.paused = ["a", "b"] } == nil)
        #expect(start(log).notes.paused == ["a", "b"])
        #expect(log.faults.isEmpty)
    }

    @Test(arguments: ["{\"paused\":[\"a\"", "", "[]", "{\"paused\":\"a\"}", "{\"removals\":[1]}", "{\"decisions\":{}}"])
    @LoopActor func `a damaged file is told, put aside and kept`(text: String) throws {
        try disk.write(text, to: file)
        let log = Log()
        let state = start(log)
        #expect(log.faults.count == 1 && state.fault != nil)
        #expect(disk.bytes(file) == Array(text.utf8))
        #expect(state.change { $0.paused = ["b"] } == nil)
        #expect(disk.bytes(file + ".unread-1") == Array(text.utf8))
        #expect(content?["paused"] == ["b"])
        // Until the restart, every client is told where it is.
        #expect(log.faults.last?.contains(".unread-1") == true && state.fault?.message == log.faults.last)
        let next = Log()
        #expect(start(next).fault == nil && next.faults.isEmpty)
    }

    @Test @LoopActor func `a second damaged file does not take the place of the first one's`() throws {
        for text in ["one", "two"] {
            try disk.write(text, to: file)
            #expect(start(Log()).change { $0.paused = [text] } == nil)
        }
        #expect(disk.bytes(file + ".unread-1") == Array("one".utf8))
        #expect(disk.bytes(file + ".unread-2") == Array("two".utf8))
    }

    @Test @LoopActor func `one that cannot be read is read again before the first change`() throws {
        try #require(symlink(file, file) == 0)
        let log = Log()
        let state = start(log)
        #expect(log.faults.first?.contains("cannot read") == true && state.fault != nil)
        try #require(unlink(file) == 0)
        try disk.write("{\"paused\":[\"a\"],\"removals\":[\"r\"],\"newer\":1}", to: file)
        #expect(state.change { $0.paused.insert("b") } == nil)
        #expect(state.notes.paused == ["a", "b"] && state.notes.removals == ["r"] && state.fault == nil)
        #expect(content?["paused"] == ["a", "b"] && content?["newer"] == 1)
    }

    @Test @LoopActor func `one that still cannot be read is put aside before it is written over`() throws {
        try #require(symlink(file, file) == 0)
        let state = start(Log())
        // A change that changes nothing here would have changed what the file says.
        #expect(state.change { $0.removals.remove("r") } == nil)
        #expect(content != nil && state.fault?.message.contains(".unread-1") == true)
        #expect(try disk.status(file + ".unread-1").inode != disk.status(file).inode)
    }

    @Test @LoopActor func `what this daemon does not know stays in the file`() throws {
        let text = """
            {"decisions":[{"since":"later"},{"account":"work","client":"exe:/usr/bin/mutt","at":1}],"newer":{"x":1}}
            """
        try disk.write(text, to: file)
        let log = Log()
        let state = start(log)
        #expect(state.change { $0.paused = ["b"] } == nil)
        #expect(content?["newer"] == ["x": 1])
        #expect(content?["decisions"]?.array?.contains(["since": "later"]) == true)
        #expect(content?["decisions"]?.array?.count == 2 && log.faults.isEmpty)
    }

    @Test @LoopActor func `what cannot be written is a fault until it is`() throws {
        let log = Log()
        let state = start(log)
        try #require(mkdir(file, 0o700) == 0)
        try disk.write("x", to: file + "/x")
        #expect(state.change { $0.paused = ["b"] } != nil)
        #expect(state.fault != nil && state.notes.paused == ["b"])
        try #require(unlink(file + "/x") == 0 && rmdir(file) == 0)
        #expect(state.change { _ in } == nil)
        #expect(state.fault == nil && content?["paused"] == ["b"])
    }
}
