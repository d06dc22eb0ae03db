// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Systemd
import Testing

@testable import tokend

/// Who was served which token, as the log tells it.
@Suite struct ServedTokensTests {
    private final class Processes {
        var programs: [Int32: ProgramName] = [:]
    }

    private static func moment(_ seconds: Int64) -> Moment {
        Moment(wall: seconds, boot: BootInstant(microseconds: UInt64(seconds) * 1_000_000))
    }

    /// A client with that number.
    private static func client(_ pid: Int32) throws -> UnixSocket.Credentials {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        var credentials = try UnixSocket.credentials(of: ends[0])
        credentials.pid = pid
        return credentials
    }

    @Test func `a program is told at once, and then once a minute with the count`() throws {
        let client = try Self.client(7)
        let processes = Processes()
        processes.programs[7] = ProgramName(text: "/usr/bin/mutt")
        var served = ServedTokens { pid, _ in processes.programs[pid] }
        func lines(_ count: Int, at seconds: Int64) -> [String] {
            return served.lines(
                account: "work",
                client: client,
                application: nil,
                count: count,
                at: Self.moment(seconds)
            )
            .map(\.message)
        }
        #expect(lines(1, at: 100) == ["work: token served to /usr/bin/mutt [7]"])
        #expect(lines(5, at: 110).isEmpty && lines(3, at: 159).isEmpty)
        #expect(lines(1, at: 160) == ["work: token served to /usr/bin/mutt [7] (9 times)"])
        // It has ended: what it had is still told as its own.
        processes.programs[7] = nil
        #expect(lines(2, at: 230) == ["work: token served to /usr/bin/mutt [7] (2 times)"])
    }

    @Test func `what tokenctl got for a program is told as that program's, however many tokenctl there were`() throws {
        let client = try Self.client(7)
        let processes = Processes()
        for pid in Int32(7)...9 {
            processes.programs[pid] = ProgramName(
                text: "/usr/bin/tokenctl",
                caller: .init(pid: 5, path: "/usr/bin/git")
            )
        }
        processes.programs[10] = ProgramName(text: "/usr/bin/tokenctl", caller: .init(pid: 6, path: "/usr/bin/mutt"))
        var served = ServedTokens { pid, _ in processes.programs[pid] }
        func lines(of pid: Int32, at seconds: Int64) -> [LogLine] {
            var client = client
            client.pid = pid
            return served.lines(account: "work", client: client, application: nil, count: 1, at: Self.moment(seconds))
        }
        let first = lines(of: 7, at: 100)
        #expect(first.map(\.message) == ["work: token served to /usr/bin/git [5] with tokenctl"])
        #expect(first.first?.fields.contains { $0 == ("TOKEND_CALLER", "5 /usr/bin/git") } == true)
        #expect(first.first?.fields.contains { $0 == ("TOKEND_CLIENT", "7 /usr/bin/tokenctl") } == true)
        #expect(lines(of: 8, at: 110).isEmpty)
        #expect(lines(of: 10, at: 111).map(\.message) == ["work: token served to /usr/bin/mutt [6] with tokenctl"])
        #expect(
            lines(of: 9, at: 160).map(\.message) == ["work: token served to /usr/bin/git [5] with tokenctl (2 times)"]
        )
    }

    @Test func `a process that got another's number is not told as that one`() throws {
        let client = try Self.client(7)
        let processes = Processes()
        processes.programs[7] = ProgramName(text: "/usr/bin/mutt")
        var served = ServedTokens { pid, _ in processes.programs[pid] }
        func lines(at seconds: Int64) -> [String] {
            return served.lines(account: "work", client: client, application: nil, count: 1, at: Self.moment(seconds))
                .map(\.message)
        }
        _ = lines(at: 100)
        #expect(lines(at: 101).isEmpty)
        processes.programs[7] = ProgramName(text: "/tmp/evil")
        #expect(
            lines(at: 102) == ["work: token served to /usr/bin/mutt [7]", "work: token served to /tmp/evil [7]"]
        )
        #expect(lines(at: 103).isEmpty)
    }
}
