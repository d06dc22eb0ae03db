// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTP
import HTTPTypes
import Systemd
import TestSupport
import Testing

/// Nothing wakes while nothing happens. Each in a process whose loop serves nobody else.
@Suite(.timeLimit(.minutes(1))) struct RestTests {
    @Test func `kept connections wake nobody`() async {
        await #expect(processExitsWith: .success) {
            LoopThread.start
            let server = try ByteServer { _, connection in
                connection.send(WireResponse.text("").bytes)
                return true
            }
            let transport = try await Self.use(server)
            let rounds = try await Self.roundsInASecond()
            #expect(rounds <= 1)
            _ = transport
        }
    }

    @Test func `an open listener wakes nobody`() async {
        await #expect(processExitsWith: .success) {
            let fixture = try await ListenerFixture.start([.v4, .v6])
            #expect(try await fixture.get("/").status == 200)
            // What the end of that connection left to do is done with the next one's.
            _ = try await fixture.get("/")
            let rounds = try await Self.roundsInASecond()
            #expect(rounds <= 1)
        }
    }

    @LoopActor private static func use(_ server: ByteServer) async throws -> CurlTransport {
        let transport = CurlTransport(settings: TransportSettings(idleTime: .seconds(30)))
        _ = try await transport.send(.get(server.url()))
        _ = try await transport.send(.refresh(server.url()))
        return transport
    }

    /// How often the loop went round in a second, but for the asking itself.
    private static func roundsInASecond() async throws -> Int {
        let counter = await RoundCounter()
        _ = try await blocking { usleep(200_000) }
        let before = await counter.rounds
        _ = try await blocking { usleep(1_000_000) }
        return await counter.rounds - before - 1
    }
}

/// Counts the rounds of the main loop in which something happened.
@LoopActor private final class RoundCounter {
    private(set) var rounds = 0
    private var source: EventSource?

    init() {
        source = EventLoop.main.addPost { [unowned self] in rounds += 1 }
    }
}
