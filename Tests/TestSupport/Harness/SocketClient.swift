// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
package import StrictJSON
import Synchronization

/// A client of the daemon's socket that writes bytes as a test gives them and reads lines as they come.
package final class SocketClient: Sendable {
    private enum Input: Sendable {
        case line(String)
        case end
    }

    private let socket: Descriptor
    private let log = EventLog<Input>()
    private let lastID = Mutex(0)

    /// Connects at once.
    package init(path: String) throws {
        socket = try Descriptor(AF_UNIX, SOCK_STREAM)
        guard UnixAddress(path).use({ connect(socket.number, $0, $1) }) == 0 else {
            throw SystemCallError("connect \(path)")
        }
        DetachedThread.run { [socket, log] in Self.read(socket, log) }
    }

    deinit { socket.end() }

    /// Sends bytes as they are; false where the daemon has hung up.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool { ByteConnection(descriptor: socket.number).send(bytes) }

    /// Sends a text and a line end.
    @discardableResult
    package func sendLine(_ text: String) -> Bool { send(Array((text + "\n").utf8)) }

    /// Ends the writing only; pending replies still come.
    package func finishWriting() { shutdown(socket.number, CInt(SHUT_WR)) }

    /// Ends the connection, as a client that dies does.
    package func hangUp() { socket.end() }

    /// The next line, without its end.
    package func nextLine(within limit: Duration = .seconds(20)) async throws -> String {
        let input = try await log.next("a line from the daemon", within: limit) { _ in true }
        guard case .line(let line) = input else { throw TimedOut("a line: the daemon hung up") }
        return line
    }

    /// The next line as a JSON object.
    package func nextReply(within limit: Duration = .seconds(20)) async throws -> JSONObject {
        let line = try await nextLine(within: limit)
        guard let object = try JSONReader().read(line).object else { throw TimedOut("an object instead of \(line)") }
        return object
    }

    /// Waits until the daemon hangs up; lines that come before are dropped.
    package func awaitEnd(within limit: Duration = .seconds(20)) async throws {
        _ = try await log.next("the connection's end", within: limit) { input in
            if case .end = input { true } else { false }
        }
    }

    /// Asks in JSON-RPC form and waits for that reply, which is returned whole.
    package func call(
        _ method: String,
        _ params: JSONObject = [:],
        within limit: Duration = .seconds(60)
    ) async throws -> JSONObject {
        try await reply(to: ask(method, params), within: limit)
    }

    /// Waits for the reply with that id, which is returned whole.
    package func reply(to id: String, within limit: Duration = .seconds(60)) async throws -> JSONObject {
        let input = try await log.next("the reply to \(id)", within: limit) { input in
            switch input {
            case .end: true
            case .line(let line): (try? JSONReader().read(line))?.object?["id"]?.string == id
            }
        }
        guard case .line(let line) = input, let object = try JSONReader().read(line).object else {
            throw TimedOut("the reply to \(id): the daemon hung up")
        }
        return object
    }

    /// Asks in JSON-RPC form and returns the id to be found in the reply, without waiting.
    @discardableResult
    package func ask(_ method: String, _ params: JSONObject = [:]) -> String {
        let id = lastID.withLock { last in
            last += 1
            return "call-\(last)"
        }
        let request: JSONObject = [
            "jsonrpc": "2.0", "id": .string(id), "method": .string(method), "params": .object(params),
        ]
        send(JSONWriter.bytes(.object(request)) + [UInt8(ascii: "\n")])
        return id
    }

    /// Calls and returns the result; throws `DaemonRefusal` for an error.
    package func result(
        _ method: String,
        _ params: JSONObject = [:],
        within limit: Duration = .seconds(60)
    ) async throws -> JSONObject {
        let reply = try await call(method, params, within: limit)
        if let result = reply["result"]?.object { return result }
        throw DaemonRefusal(reply)
    }

    private static func read(_ socket: Descriptor, _ log: EventLog<Input>) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var unread: [UInt8] = []
        while true {
            let count = recv(socket.number, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            unread += buffer[..<count]
            while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                log.append(.line(String(decoding: unread[..<end], as: UTF8.self)))
                unread.removeSubrange(...end)
            }
        }
        log.append(.end)
    }
}

/// An error reply of the daemon.
package struct DaemonRefusal: Error, CustomStringConvertible {
    /// `data.kind`, or "?" where the reply has none.
    package let kind: String
    package let message: String
    package let data: JSONObject

    /// Reads the error of a whole reply.
    package init(_ reply: JSONObject) {
        let error = reply["error"]?.object ?? [:]
        data = error["data"]?.object ?? [:]
        kind = data["kind"]?.string ?? "?"
        message = error["message"]?.string ?? "?"
    }

    package var description: String { "\(kind): \(message) \(data)" }
}
