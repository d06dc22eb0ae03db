// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Secrets
import StrictJSON
import Testing
import tokenctl

/// The passphrase of a store that is a file.
@Suite struct StoreOpeningTests {
    /// A daemon whose store opens with “horse” alone.
    private func daemon(_ need: String = "needed") throws -> StandInDaemon {
        let isOpen = Flag()
        return try StandInDaemon { request in
            if request.method == "store.unlock", isOpen.isRaised || request.params["passphrase"] == "horse" {
                isOpen.raise()
                return .result(["state": "ready"])
            }
            guard request.method == "store.unlock" || !isOpen.isRaised else {
                return .result(["account": "a", "access_token": "to.ken", "token_type": "Bearer", "scope": ""])
            }
            return .error("store_locked", code: -32009, data: ["passphrase": .string(need)], message: "it is locked")
        }
    }

    private func passphrases(_ daemon: StandInDaemon) -> [JSONValue?] {
        daemon.requests.filter { $0.method == "store.unlock" }.map { $0.params["passphrase"] }
    }

    @Test(arguments: ["horse", "horse\n"])
    func `without a terminal it comes from stdin`(input: String) throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let outcome = try Surroundings(input: input).run(["unlock"], daemon)
        #expect(outcome.code == 0)
        #expect(passphrases(daemon) == [nil, "horse"])
        #expect(!(outcome.talk + outcome.output).contains("horse"))
    }

    @Test(arguments: [("", Int32(66)), ("\n", 66), ("horse\ncart\n", 65), ("cart", 75)])
    func `nothing, several lines, or another one ends it with its own code`(input: String, code: Int32) throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        #expect(try Surroundings(input: input).run(["unlock"], daemon).code == code)
    }

    @Test func `an open store asks for nothing`() throws {
        let daemon = try StandInDaemon { _ in .result(["state": "ready"]) }
        defer { daemon.stop() }
        #expect(try Surroundings(input: "horse").run(["unlock"], daemon).code == 0)
        #expect(passphrases(daemon) == [nil])
    }

    @Test func `a person may mistype it twice`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings(input: "cart\ncarts\nhorse\n")
        there.isInteractive = true
        #expect(try there.run(["unlock"], daemon).code == 0)
        #expect(passphrases(daemon) == [nil, "cart", "carts", "horse"])
        there.input = "a\nb\nc\nhorse\n"
        let other = try self.daemon()
        defer { other.stop() }
        #expect(try there.run(["unlock"], other).code == 75)
        #expect(passphrases(other) == [nil, "a", "b", "c"])
    }

    @Test func `a new one is asked for twice`() throws {
        let daemon = try daemon("new")
        defer { daemon.stop() }
        var there = Surroundings(input: "\nhorse\nhouse\nhorse\nhorse\n")
        there.isInteractive = true
        let outcome = try there.run(["unlock"], daemon)
        #expect(outcome.code == 0)
        #expect(passphrases(daemon) == [nil, "horse"])
        #expect(outcome.talk.contains("not the same"))
        #expect(outcome.talk.contains("not be empty"))
        there.input = "a\nb\nc\nd\ne\nf\n"
        let other = try self.daemon("new")
        defer { other.stop() }
        #expect(try there.run(["unlock"], other).code == 65)
        #expect(passphrases(other) == [nil])
    }

    @Test func `a token that finds the store locked asks at once`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        #expect(try Surroundings(input: "horse\n").run(["token", "a"], daemon).code == 75)
        var there = Surroundings(input: "horse\n")
        there.isInteractive = true
        let outcome = try there.run(["token", "a"], daemon)
        #expect(outcome.output == "to.ken\n")
        #expect(!outcome.talk.contains("window"))
        #expect(passphrases(daemon) == ["horse"])
    }

    @Test func `Ctrl-C ends the asking`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        ctrlC.press()
        var there = Surroundings()
        there.isInteractive = true
        there.interruption = ctrlC.interruption
        #expect(try there.run(["unlock"], daemon).code == 130)
    }

    @Test func `a terminal shows nothing of what is typed, and shows it again afterwards`() throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(master >= 0)
        defer { close(master) }
        // TIOCSPTLCK unlocks the other end, TIOCGPTPEER opens it; Swift's Glibc has neither, nor ptsname(3).
        var isLocked: Int32 = 0
        try #require(ioctl(master, 0x4004_5431, &isLocked) == 0)
        let terminal = ioctl(master, 0x5441, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(terminal >= 0)
        defer { close(terminal) }
        let traits = TerminalTraits(
            inputIsTerminal: true,
            outputIsTerminal: true,
            errorIsTerminal: true,
            columns: 80,
            environment: ["NO_COLOR": "1"]
        )
        let console = Console(input: terminal, output: terminal, error: terminal, traits: traits)
        let shown = Shown(master)
        start { shown.answer("Passphrase:", with: "horse\n") }
        guard case .line(let line) = console.askSecret("Passphrase:", watching: -1) else {
            Issue.record("no line")
            return
        }
        #expect(line.reveal() == "horse")
        console.say("done")
        #expect(shown.text(upTo: "done\r\n") == "Passphrase: \r\ndone\r\n")
        var settings = termios()
        tcgetattr(terminal, &settings)
        #expect(settings.c_lflag & tcflag_t(ECHO) != 0)
    }
}

/// What a terminal's other end gets to see.
private final class Shown: @unchecked Sendable {
    private let master: Int32
    private var bytes: [UInt8] = []

    init(_ master: Int32) {
        self.master = master
    }

    /// Types once the question is there; used by one thread at a time.
    func answer(_ question: String, with line: String) {
        _ = text(upTo: question + " ")
        _ = write(master, line, line.utf8.count)
    }

    func text(upTo end: String) -> String {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.firstRange(of: Array(end.utf8)) == nil {
            let count = read(master, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
