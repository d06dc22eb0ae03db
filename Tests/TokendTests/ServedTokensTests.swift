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
        var programs: [Int32: String] = [:]
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
        processes.programs[7] = "/usr/bin/mutt"
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

    @Test func `a process that got another's number is not told as that one`() throws {
        let client = try Self.client(7)
        let processes = Processes()
        processes.programs[7] = "/usr/bin/mutt"
        var served = ServedTokens { pid, _ in processes.programs[pid] }
        func lines(at seconds: Int64) -> [String] {
            return served.lines(account: "work", client: client, application: nil, count: 1, at: Self.moment(seconds))
                .map(\.message)
        }
        _ = lines(at: 100)
        #expect(lines(at: 101).isEmpty)
        processes.programs[7] = "/tmp/evil"
        #expect(
            lines(at: 102) == ["work: token served to /usr/bin/mutt [7]", "work: token served to /tmp/evil [7]"]
        )
        #expect(lines(at: 103).isEmpty)
    }
}
