// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Systemd
import TestSupport
import Testing
import TokendProtocol

@testable import Broker

/// What all clients together can take of the daemon.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct SharedLimitsTests {
    @Test @LoopActor func `unread replies of all clients are bounded, and the one with most is closed`() async throws {
        let stand = try SessionStand { $0.together = 600_000 }
        defer { stand.end() }
        let modest = try stand.peer()
        modest.send("{\"method\":\"wait\"}\n")
        var greedy: [SocketPeer] = []
        for _ in 0..<8 {
            let peer = try stand.peer()
            peer.stopReading()
            // More than the kernel's buffer holds.
            for _ in 0..<100 { peer.send("{\"method\":\"big\",\"params\":{\"bytes\":10000}}\n") }
            greedy.append(peer)
            try await stand.roundTrip()
        }
        while stand.server.clientCount > 6 { try await stand.roundTrip() }
        #expect(stand.server.keptBytes <= 600_000)
        for reply in stand.handler.owed { reply.succeed(Echo(json: [:])) }
        #expect(await modest.line() == "{\"result\":{}}")
    }

    @Test @LoopActor func `requests under way are bounded by their length, for one client and for all`() async throws {
        let stand = try SessionStand {
            $0.underWay = 100_000
            $0.together = 500_000
        }
        defer { stand.end() }
        let long = "{\"method\":\"wait\",\"params\":{\"a\":\"" + String(repeating: "x", count: 30_000) + "\"}}\n"
        let peer = try stand.peer()
        for _ in 0..<8 { peer.send(long) }
        await stand.handler.taken(4)
        try await stand.roundTrip()
        #expect(stand.handler.owed.count == 4, "no more is read until one is answered")
        #expect(stand.handler.owed.allSatisfy { $0.request.params.isEmpty }, "what was asked is not kept twice")
        stand.handler.owed[0].succeed(Echo(json: [:]))
        await stand.handler.taken(8)
        var others: [SocketPeer] = []
        for _ in 0..<8 {
            let other = try stand.peer()
            for _ in 0..<4 { other.send(long) }
            others.append(other)
            try await stand.roundTrip()
        }
        #expect(stand.handler.abandoned > 0 && stand.server.keptBytes <= 500_000)
        peer.close()
        for other in others { other.close() }
        try await stand.clients(1)
        #expect(stand.server.keptBytes < 5000, "what has left does not count")
    }

    @Test @LoopActor func `so many programs hear of events, and the last seats are not one program's`() async throws {
        let stand = try SessionStand { $0.subscribers = 8 }
        defer { stand.end() }
        var heard: [SocketPeer] = []
        for _ in 0..<10 {
            let peer = try stand.peer()
            peer.send("{\"method\":\"subscribe\"}\n")
            if await peer.line() == "{\"result\":{}}" { heard.append(peer) }
        }
        #expect(heard.count == 4)
        let other = try await ChildProcess.run(
            "/usr/bin/socat",
            ["-t5", "-", "UNIX-CONNECT:" + stand.path],
            environment: [:],
            input: .text("{\"method\":\"subscribe\"}\n")
        )
        #expect(other.output == "{\"result\":{}}\n", "\(other)")
        heard[0].send("{\"method\":\"subscribe\"}\n")
        #expect(await heard[0].line() == "{\"result\":{}}", "who has a seat keeps it")
    }

    @Test @LoopActor func `events to many are told in turns, in order, and others are served in between`() async throws
    {
        let stand = try SessionStand {
            $0.turn = .zero
            $0.subscribers = 400
        }
        defer { stand.end() }
        let peers = try (0..<100).map { _ in try stand.peer() }
        for peer in peers {
            peer.send("{\"method\":\"subscribe\"}\n")
            #expect(await peer.line() == "{\"result\":{}}")
        }
        let other = try stand.peer()
        try await stand.roundTrip()
        other.send("{\"method\":\"now\"}\n")
        for number in 0..<5 {
            stand.server.publish(EventMessage(.configReloaded, at: 0), Array("{\"e\":\(number)}\n".utf8))
        }
        // A turn of no length tells one of one event: what is left does not hold up the others.
        #expect(await other.line() == "{\"result\":{}}")
        #expect(!stand.server.subscribers.deliveries.isEmpty)
        peers[7].close()
        for (index, peer) in peers.enumerated() where index != 7 {
            #expect(await peer.lines(5) == (0..<5).map { "{\"e\":\($0)}" })
        }
        while !stand.server.subscribers.deliveries.isEmpty { try await stand.roundTrip() }
    }
}
