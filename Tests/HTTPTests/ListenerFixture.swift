// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTP
import HTTPTypes
import Systemd
import TestSupport
import Testing

/// A listener on the main loop, and what its handler saw.
struct ListenerFixture: Sendable {
    let listener: LoopbackListener
    let port: UInt16
    let requests: EventLog<ListenerRequest>
    /// The users of connections that were refused.
    let strangers: EventLog<UInt32?>

    /// Listens; `answer` says what to do with a request.
    static func start(
        _ addresses: [LoopbackAddress] = [.v4],
        port: UInt16 = 0,
        patience: Duration = .seconds(10),
        answer: @escaping @LoopActor @Sendable (ListenerRequest, ListenerReply) -> Void = { _, reply in
            reply.respond(.signedIn(account: "work"))
        }
    ) async throws(ListenerError) -> ListenerFixture {
        LoopThread.start
        return try await onLoop(addresses, port: port, patience: patience, answer: answer)
    }

    @LoopActor private static func onLoop(
        _ addresses: [LoopbackAddress],
        port: UInt16,
        patience: Duration,
        answer: @escaping @LoopActor @Sendable (ListenerRequest, ListenerReply) -> Void
    ) throws(ListenerError) -> ListenerFixture {
        let requests = EventLog<ListenerRequest>()
        let strangers = EventLog<UInt32?>()
        let listener = try LoopbackListener(
            addresses: addresses,
            port: port,
            patience: patience,
            whenRefused: { strangers.append($0) },
            handler: { request, reply in
                requests.append(request)
                answer(request, reply)
            }
        )
        return ListenerFixture(listener: listener, port: listener.port, requests: requests, strangers: strangers)
    }

    /// The address of a family.
    func address(_ family: LoopbackAddress = .v4) throws -> HTTPAddress {
        try #require(HTTPAddress("http://\(family.literal):\(port)/"))
    }

    /// Sends bytes on a connection of their own and reads the answer to its end.
    func send(_ text: String, _ family: LoopbackAddress = .v4) async throws -> RawConnection.Answer {
        let address = try address(family)
        return try await blocking {
            let connection = try RawConnection(address)
            try connection.send(text)
            return try connection.readAnswer()
        }
    }

    /// A GET of a target, with further lines of headers.
    func get(_ target: String, _ headers: String = "", _ family: LoopbackAddress = .v4) async throws
        -> RawConnection.Answer
    {
        try await send("GET \(target) HTTP/1.1\r\nHost: \(family.literal):\(port)\r\n\(headers)\r\n", family)
    }

    /// Sends bytes and waits until the server ends the connection, whatever it says.
    func throwAway(_ bytes: [UInt8]) async throws {
        let address = try address()
        try await blocking {
            let connection = try RawConnection(address)
            try connection.send(String(decoding: bytes, as: UTF8.self))
            _ = try? connection.readAnswer()
        }
    }

    /// Whether a connection is refused; to be asked of a `FreePort`, since any other may be somebody else's by now.
    func isClosed(_ family: LoopbackAddress = .v4) async -> Bool {
        do {
            let address = try address(family)
            return try await blocking {
                _ = try RawConnection(address)
                return false
            }
        } catch {
            return (error as? SystemCallError)?.code == ECONNREFUSED
        }
    }
}

extension RawConnection.Answer {
    /// The first value of a header.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
