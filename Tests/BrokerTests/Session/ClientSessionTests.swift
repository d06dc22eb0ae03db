// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Systemd
import Testing

@testable import Broker

/// Lines in and lines out, over a real socket on the loop.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ClientSessionTests {
    @Test @LoopActor func `a line may come in any pieces (A)`() async throws {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        for byte in Array("{\"id\":1,\"method\":\"echo\",\"params\":{\"a\":\"ü\"}}\n".utf8) {
            peer.send([byte])
            await Task.yield()
        }
        #expect(await peer.line() == "{\"id\":1,\"result\":{\"a\":\"ü\"}}")
    }

    @Test @LoopActor func `requests may be pipelined in both forms, in one piece (A)`() async throws {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send(
            "{\"method\":\"echo\"}\n{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"echo\"}\n\r\n \t\n"
                + "{\"id\":null,\"method\":\"echo\"}\r\n"
        )
        #expect(
            await peer.lines(3) == [
                "{\"result\":{}}", "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}", "{\"id\":null,\"result\":{}}",
            ]
        )
    }

    @Test @LoopActor func `what two processes write on one connection is taken at once`() async throws {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        for id in [1, 4] {
            peer.send(#"{"id":\#(id),"method":"echo"}"# + "\n")
            try peer.sendFromAnotherProcess(#"{"id":\#(id + 1),"method":"echo"}"#)
            peer.send(#"{"id":\#(id + 2),"method":"echo"}"# + "\n")
            let lines = await peer.lines(3)
            #expect(lines.map { $0.contains(#""id":\#(id)"#) } == [true, false, false], "\(lines)")
        }
    }

    @Test @LoopActor func `a notification is done and never answered`() async throws {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"wait\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}\n")
        peer.send("{\"id\":1,\"method\":\"echo\"}\n")
        #expect(await peer.line() == "{\"id\":1,\"result\":{}}")
        stand.handler.owed[0].succeed(Echo(json: [:]))
        peer.send("{\"id\":2,\"method\":\"echo\"}\n")
        #expect(await peer.line() == "{\"id\":2,\"result\":{}}")
        #expect(stand.handler.taken == ["wait", "echo", "echo", "echo"])
    }

    @Test @LoopActor func `plain requests without an id are answered in their order, others as they are ready`()
        async throws
    {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send(
            "{\"method\":\"wait\"}\n{\"method\":\"wait\"}\n{\"method\":\"echo\",\"params\":{\"n\":3}}\n{\"oops\":1}\n"
                + "{\"id\":5,\"method\":\"echo\"}\n"
        )
        #expect(await peer.line() == "{\"id\":5,\"result\":{}}")
        stand.handler.owed[1].succeed(Echo(json: ["n": 2]))
        try await stand.roundTrip()
        stand.handler.owed[0].succeed(Echo(json: ["n": 1]))
        #expect(await peer.lines(3) == [1, 2, 3].map { "{\"result\":{\"n\":\($0)}}" })
        #expect(await peer.line()?.contains("invalid_request") == true)
    }

    @Test @LoopActor func `a line that cannot be read at all is answered in JSON-RPC form, with a null id`()
        async throws
    {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        for bytes in [Array("{\n".utf8), [0xFF, 0x0A], [0x00, 0x0A], Array("{\"a\":1,\"a\":2}\n".utf8)] {
            peer.send(bytes)
            let line = await peer.line() ?? ""
            #expect(line.hasPrefix("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700"))
        }
        peer.send("[]\n{\"method\":\"echo\"}\n")
        #expect(await peer.line()?.contains("-32600") == true)
        #expect(await peer.line() == "{\"result\":{}}")
    }

    @Test @LoopActor func `the end of the input ends the reading alone`() async throws {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send("{\"id\":1,\"method\":\"wait\"}\n{\"id\":2,\"method\":\"echo\"}\n{\"method\":\"half")
        peer.finishWriting()
        #expect(await peer.line() == "{\"id\":2,\"result\":{}}")
        try await stand.roundTrip()
        #expect(!peer.hasEnded)
        stand.handler.owed[0].succeed(Echo(json: [:]))
        #expect(await peer.line() == "{\"id\":1,\"result\":{}}")
        #expect(await peer.end().isEmpty)
        #expect(stand.handler.abandoned == 0)
    }

    @Test @LoopActor func `everything that was sent before the end of the input is answered, however much it is`()
        async throws
    {
        let stand = try SessionStand {
            $0.inFlight = 4
            $0.unread = 4096
        }
        defer { stand.end() }
        let peer = try stand.peer()
        for number in 0..<200 { peer.send("{\"id\":\(number),\"method\":\"big\",\"params\":{\"bytes\":1000}}\n") }
        peer.finishWriting()
        let lines = await peer.lines(200)
        #expect(lines.count == 200)
        #expect(lines.last?.hasPrefix("{\"id\":199,") == true)
        #expect(await peer.end().isEmpty)
    }

    @Test @LoopActor func `a client that connects and leaves, or leaves in the middle of a line, harms nobody`()
        async throws
    {
        let stand = try SessionStand()
        defer { stand.end() }
        for text in ["", "{\"method\"", "\n\n"] {
            let peer = try stand.peer()
            peer.send(text)
            peer.close()
        }
        try await stand.clients(1)
        #expect(stand.handler.taken.allSatisfy { $0 == "echo" })
    }

    @Test @LoopActor func `what a client sent before it left is done`() async throws {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"last words\"}\n")
        peer.close()
        await stand.handler.taken(1)
        #expect(stand.handler.taken == ["last words"])
    }

    @Test @LoopActor func `a client that leaves takes its waits with it`() async throws {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send("{\"method\":\"wait\"}\n")
        await stand.handler.taken(1)
        peer.close()
        await stand.handler.someoneLeaves()
        #expect(!stand.handler.owed[0].isOpen)
        stand.handler.owed[0].succeed(Echo(json: [:]))
        #expect(stand.handler.abandoned == 1)
    }

    @Test @LoopActor func `a thousand replies that come at once do not nest`() async throws {
        let stand = try SessionStand()
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send(String(repeating: "{\"method\":\"now\"}\n", count: 20_000))
        #expect(await peer.lines(20_000).allSatisfy { $0 == "{\"result\":{}}" })
    }

    @Test @LoopActor func `clients of another user are closed without a byte`() async throws {
        let stand = try SessionStand(uid: 4_294_967_000)
        defer { stand.end() }
        let peer = try stand.peer()
        peer.send("{\"method\":\"echo\"}\n")
        #expect(await peer.end().isEmpty)
        #expect(stand.handler.taken.isEmpty)
        #expect(stand.server.clientCount == 0)
    }
}
