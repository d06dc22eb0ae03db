// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// What one client can take of the daemon, with limits that a test reaches quickly.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct SessionLimitsTests {
    @Test @LoopActor func `the limits are the protocol's`() {
        let limits = SessionLimits()
        #expect(limits.line == 262_144 && limits.inFlight == 64 && limits.unread == 1_048_576)
        #expect(limits.together == 67_108_864 && limits.unreadPatience == .seconds(30))
        #expect(limits.overlongPatience == .seconds(1))
    }

    @Test @LoopActor func `clients leave the daemon descriptors of its own`() async throws {
        #expect(SessionLimits.clients(ofDescriptors: 64) == 32 && SessionLimits.clients(ofDescriptors: 1024) == 768)
        let stand = try SessionStand { $0.clients = 2 }
        defer { stand.end() }
        let peers = try (0..<3).map { _ in try stand.peer() }
        for peer in peers { peer.send("{\"method\":\"now\"}\n") }
        _ = await (peers[0].line(), peers[1].line())
        try await stand.clients(2)
        peers[0].close()
        #expect(await peers[2].line() != nil)
    }

    @Test func `clients of further sockets leave descriptors to those of the main one`() {
        #expect(SessionLimits.furtherClients(ofDescriptors: 524_288, sockets: 3) == 256)
        #expect(SessionLimits.furtherClients(ofDescriptors: 512, sockets: 6) == 10)
        #expect(SessionLimits.furtherClients(ofDescriptors: 64, sockets: 256) == 4)
    }

    @Test @LoopActor func `a client that sends much at once has its turn, and then it is the others'`() async throws {
        let stand = try SessionStand { $0.turn = .zero }
        defer { stand.end() }
        let greedy = try (0..<40).map { _ in try stand.peer() }
        let modest = try stand.peer()
        try await stand.clients(42)
        let lines = (0..<50).map { "{\"id\":\($0),\"method\":\"echo\"}\n" }.joined()
        for peer in greedy { peer.send(lines) }
        modest.send("{\"method\":\"now\"}\n")
        #expect(await modest.line() == "{\"result\":{}}")
        // Each of the forty had a turn or two of one line meanwhile, and none of them all of its fifty.
        #expect((stand.handler.taken.firstIndex(of: "now") ?? .max) < 40 * 4)
        #expect(stand.handler.taken.count < 40 * 8)
        for peer in greedy {
            let ids = await peer.lines(50).map { String($0.prefix { $0 != "," }) }
            #expect(ids == (0..<50).map { "{\"id\":\($0)" })
        }
    }

    @Test(arguments: [false, true])
    @LoopActor func `what was sent before a client ended is taken over its turns`(closes: Bool) async throws {
        let stand = try SessionStand { $0.turn = .zero }
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send((0..<300).map { "{\"id\":\($0),\"method\":\"echo\"}\n" }.joined())
        if closes {
            peer.close()
            try await stand.clients(1)
            #expect(!stand.handler.taken.isEmpty)
        } else {
            peer.finishWriting()
            #expect(await peer.lines(300).count == 300)
            #expect(await peer.end().isEmpty)
        }
        #expect(stand.server.busyCount == 0)
    }

    @Test @LoopActor func `unread replies over 1 MiB stop the reading, and then end the connection (protocol.md)`()
        async throws
    {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        peer.stopReading()
        peer.send("{\"id\":1,\"method\":\"wait\"}\n")
        for _ in 0..<300 { peer.send("{\"id\":2,\"method\":\"big\",\"params\":{\"bytes\":10000}}\n") }
        try await stand.patience()
        await stand.clock.advance(by: .seconds(29))
        #expect(stand.server.clientCount > 0 && stand.handler.abandoned == 0)
        await stand.clock.advance(by: .seconds(1))
        await stand.handler.someoneLeaves()
        try await stand.clients(1)
        // What was taken fills the limit and the kernel's buffer, and not much more.
        let taken = stand.handler.taken.count { $0 == "big" }
        #expect((105..<170).contains(taken))
    }

    @Test @LoopActor func `no more is read from a client that has enough in flight`() async throws {
        let stand = try SessionStand { $0.inFlight = 4 }
        defer { stand.end() }
        let peer = try stand.peer()
        for number in 0..<6 { peer.send("{\"id\":\(number),\"method\":\"wait\"}\n") }
        await stand.handler.taken(4)
        try await stand.roundTrip()
        #expect(stand.handler.owed.count == 4)
        stand.handler.owed[2].succeed(Echo(json: [:]))
        #expect(stand.handler.owed.count == 5)
        #expect(await peer.line() == "{\"id\":2,\"result\":{}}")
        for reply in stand.handler.owed { reply.succeed(Echo(json: [:])) }
        for reply in stand.handler.owed { reply.succeed(Echo(json: [:])) }
        let ids = await peer.lines(5).map { $0.prefix(7) }
        #expect(Set(ids) == ["{\"id\":0", "{\"id\":1", "{\"id\":3", "{\"id\":4", "{\"id\":5"])
    }

    @Test @LoopActor func `a client that leaves with its hands full is let go of`() async throws {
        let stand = try SessionStand { $0.inFlight = 2 }
        defer { stand.end() }
        let peer = try stand.peer()
        for number in 0..<6 { peer.send("{\"id\":\(number),\"method\":\"wait\"}\n") }
        await stand.handler.taken(2)
        peer.close()
        await stand.handler.someoneLeaves()
        try await stand.clients(1)
        #expect(stand.handler.abandoned == 2)
        #expect(stand.handler.owed.count == 2)
    }

    @Test @LoopActor func `no more is read from a client that does not read, and all goes on when it does`()
        async throws
    {
        let stand = try SessionStand { $0.unread = 8192 }
        defer { stand.end() }
        let peer = try stand.peer()
        peer.stopReading()
        // More than the kernel's buffers for both directions and the limit hold.
        for number in 0..<600 { peer.send("{\"id\":\(number),\"method\":\"big\",\"params\":{\"bytes\":2000}}\n") }
        try await stand.roundTrip()
        let taken = stand.handler.taken.filter { $0 == "big" }.count
        #expect(taken < 600)
        peer.resumeReading()
        let lines = await peer.lines(600)
        #expect(lines.count == 600 && lines.last?.hasPrefix("{\"id\":599,") == true)
    }

    @Test @LoopActor func `a client that never reads is closed after a while`() async throws {
        let stand = try SessionStand { $0.unread = 8192 }
        defer { stand.end() }
        let peer = try stand.peer()
        peer.stopReading()
        peer.send("{\"id\":1,\"method\":\"wait\"}\n")
        for _ in 0..<600 { peer.send("{\"id\":2,\"method\":\"big\",\"params\":{\"bytes\":2000}}\n") }
        try await stand.patience()
        await stand.clock.advance(by: .seconds(30))
        await stand.handler.someoneLeaves()
        peer.resumeReading()
        #expect(await peer.lines(600).count < 600)
    }

    @Test @LoopActor func `a client that reads again in time has its thirty seconds anew`() async throws {
        let stand = try SessionStand { $0.unread = 8192 }
        defer { stand.end() }
        let peer = try stand.peer()
        peer.stopReading()
        for number in 0..<600 { peer.send("{\"id\":\(number),\"method\":\"big\",\"params\":{\"bytes\":2000}}\n") }
        try await stand.patience()
        await stand.clock.advance(by: .seconds(29))
        peer.resumeReading()
        #expect(await peer.lines(600).count == 600)
        try await stand.roundTrip()
        #expect(stand.clock.scheduled.isEmpty)
        await stand.clock.advance(by: .seconds(3600))
        peer.send("{\"method\":\"echo\"}\n")
        #expect(await peer.line() == "{\"result\":{}}")
    }

    @Test @LoopActor func `an overlong line is refused, read away for a moment, and then the connection ends`()
        async throws
    {
        let stand = try SessionStand { $0.line = 1000 }
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send("{\"id\":1,\"method\":\"echo\"}\n" + String(repeating: "x", count: 500_000))
        #expect(await peer.line() == "{\"id\":1,\"result\":{}}")
        let refusal = await peer.line() ?? ""
        #expect(refusal.hasPrefix("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600"))
        #expect(refusal.contains("longer than 1000 bytes"))
        peer.send("\n{\"id\":2,\"method\":\"echo\"}\n")
        try await stand.roundTrip()
        #expect(!peer.hasEnded)
        await stand.clock.advance(by: .seconds(1))
        #expect(await peer.end().isEmpty)
        // One of its own, and three of the round trip.
        #expect(stand.handler.taken.count == 4)
        #expect(peer.unsentCount == 0)
    }

    @Test @LoopActor func `a client that ends after an overlong line is closed at once`() async throws {
        let stand = try SessionStand { $0.line = 1000 }
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send(String(repeating: "x", count: 5000))
        peer.finishWriting()
        #expect(await peer.line()?.contains("-32600") == true)
        #expect(await peer.end().isEmpty)
    }

    @Test @LoopActor func `a line of the greatest length is taken`() async throws {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        let line = "{\"id\":1,\"method\":\"now\",\"params\":{\"a\":\""
        let rest = "\"}}"
        peer.send(line + String(repeating: "x", count: 262_144 - line.count - rest.count) + rest + "\n")
        #expect(await peer.line()?.hasPrefix("{\"id\":1,\"result\"") == true)
    }

    @Test @LoopActor func `where half-read lines are too much, the largest is dropped first`() async throws {
        let stand = try SessionStand { $0.together = 30_000 }
        defer { stand.end() }
        let small = try stand.peer()
        let large = try stand.peer()
        small.send(String(repeating: " ", count: 9000))
        large.send(String(repeating: " ", count: 20_000))
        try await stand.roundTrip()
        #expect(!large.hasEnded)
        small.send(String(repeating: " ", count: 2000))
        #expect(await large.end().isEmpty)
        small.send("{\"method\":\"echo\"}\n")
        #expect(await small.line() == "{\"result\":{}}")
        // What has ended does not count any more.
        let next = try stand.peer()
        next.send(String(repeating: " ", count: 29_000) + "{\"method\":\"echo\"}\n")
        #expect(await next.line() == "{\"result\":{}}")
    }

    @Test @LoopActor func `thousands of clients may be connected and idle`() async throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let count = min(3000, Int(limit.rlim_cur) / 2 - 200)
        let stand = try SessionStand()
        defer { stand.end() }
        let peers = try (0..<count).map { _ in
            let peer = try stand.peer()
            peer.send("{\"method\":\"echo\"}\n{\"meth")
            return peer
        }
        for peer in peers { #expect(await peer.line() == "{\"result\":{}}") }
        #expect(stand.server.clientCount == count)
        for peer in peers { peer.send("od\":\"echo\"}\n") }
        for peer in peers { #expect(await peer.line() == "{\"result\":{}}") }
        for peer in peers { peer.close() }
        try await stand.clients(1)
    }

    @Test @LoopActor func `a subscriber that falls behind is closed, and the others are told all`() async throws {
        let stand = try SessionStand { $0.unread = 20_000 }
        defer { stand.end() }
        let lazy = try stand.peer()
        let keen = try stand.peer()
        for peer in [lazy, keen] {
            peer.send("{\"method\":\"subscribe\"}\n")
            #expect(await peer.line() == "{\"result\":{}}")
        }
        lazy.stopReading()
        let event = Array((String(repeating: "e", count: 999) + "\n").utf8)
        for _ in 0..<1000 {
            stand.server.publish(EventMessage(.configReloaded, at: 0), event)
            _ = await keen.line()
        }
        #expect(stand.server.clientCount == 1)
        lazy.resumeReading()
        #expect(await lazy.lines(1000).count < 1000)
        stand.server.publish(EventMessage(.configReloaded, at: 0), event)
        #expect(await keen.line()?.count == 999)
    }
}
