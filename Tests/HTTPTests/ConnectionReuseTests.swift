// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTP
import HTTPTypes
import Synchronization
import Systemd
import TestSupport
import Testing

/// Which connections are kept, and for how long.
@Suite(.timeLimit(.minutes(1))) struct ConnectionReuseTests {
    /// The connection on which a request came, by the order of first requests.
    private final class Connections: Sendable {
        private let seen = Mutex<[ObjectIdentifier]>([])
        /// Keeps the objects alive, so that no identifier comes twice.
        private let kept = Mutex<[ByteConnectionBox]>([])

        private struct ByteConnectionBox: @unchecked Sendable {
            let connection: ByteConnection
        }

        func number(of connection: ByteConnection) -> Int {
            let box = ByteConnectionBox(connection: connection)
            kept.withLock { $0.append(box) }
            return seen.withLock { seen in
                if let index = seen.firstIndex(of: ObjectIdentifier(box.connection)) { return index }
                seen.append(ObjectIdentifier(box.connection))
                return seen.count - 1
            }
        }
    }

    private static func countingServer() throws -> ByteServer {
        let connections = Connections()
        return try ByteServer { _, connection in
            connection.send(WireResponse.text("\(connections.number(of: connection))").bytes)
            return true
        }
    }

    @LoopActor private static func connections(_ requests: [HTTPRequest]) async throws -> [String] {
        let transport = CurlTransport()
        var answers: [String] = []
        for request in requests {
            answers.append(String(decoding: try await transport.send(request).body, as: UTF8.self))
        }
        return answers
    }

    @Test func `reads share a connection, and a token request has one of its own`() async throws {
        LoopThread.start
        let server = try Self.countingServer()
        defer { server.stop() }
        let read = try HTTPRequest.get(server.url())
        let refresh = try HTTPRequest.refresh(server.url())
        #expect(try await Self.connections([read, read, refresh, read, refresh]) == ["0", "0", "1", "0", "2"])
    }

    @Test func `a token request is never repeated by itself`() async throws {
        LoopThread.start
        let requests = EventLog<String>()
        let server = try ByteServer { request, connection in
            requests.append(request.method)
            guard request.method == "GET" else { return false }
            connection.send(WireResponse.text("").bytes)
            return true
        }
        defer { server.stop() }
        let failure = await Self.failure(after: try .get(server.url()), of: try .refresh(server.url()))
        #expect(failure?.code == .interrupted)
        #expect(failure?.mayHaveBeenSent == true)
        #expect(requests.all == ["GET", "POST"])
    }

    @LoopActor private static func failure(after first: HTTPRequest, of second: HTTPRequest) async -> TransportError? {
        let transport = CurlTransport()
        _ = await transport.outcome(of: first)
        return await transport.outcome(of: second).failure
    }

    @Test func `a connection that nobody uses is closed after a while`() async throws {
        LoopThread.start
        let ends = EventLog<Gate.Outcome>()
        let gate = Gate()
        let server = try ByteServer { _, connection in
            connection.send(WireResponse.text("").bytes)
            ends.append(gate.wait(connection: connection.descriptor))
            return false
        }
        defer { server.stop() }
        let transport = await Self.use(TransportSettings(idleTime: .milliseconds(50)), for: try .get(server.url()))
        #expect(try await ends.next("the end of the connection") { _ in true } == .connectionEnded)
        #expect(await transport.requestsUnderWay == 0)
    }

    @LoopActor private static func use(_ settings: TransportSettings, for request: HTTPRequest) async -> CurlTransport {
        let transport = CurlTransport(settings: settings)
        _ = await transport.outcome(of: request)
        return transport
    }
}
