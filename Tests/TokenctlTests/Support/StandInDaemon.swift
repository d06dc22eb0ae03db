// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Synchronization

/// A stand-in for the daemon: a socket in a folder of its own, where a closure answers every request.
final class StandInDaemon: Sendable {
    /// One request as it came.
    struct Request: Sendable {
        let method: String
        let params: JSONObject
    }

    /// What to do about a request.
    enum Answer: Sendable {
        case result(JSONObject)
        case error(String, code: Int64, data: JSONObject = [:], message: String = "that did not work")
        /// A result, then these events.
        case subscription([JSONObject])
        /// These bytes, a few at a time.
        case pieces([String])
        /// Nothing, ever.
        case silence
        /// Closes the connection.
        case hangUp

        static func lockedStore() -> Answer { .error("store_locked", code: -32009, message: "the store is locked") }
        static func notThere() -> Answer { .error("method_not_found", code: -32601, message: "no such method") }
    }

    let path: String
    let folder: String
    private let listener: Int32
    private let answer: @Sendable (Request) -> Answer
    private let log = Mutex<[Request]>([])

    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        var template = Array("/tmp/tokenctl-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure(errno) }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = folder + "/tokend.sock"
        self.answer = answer
        listener = try Self.listen(at: path)
        start { [self] in acceptAll() }
    }

    /// All requests so far.
    var requests: [Request] { log.withLock { $0 } }

    /// The methods asked for so far, in their order.
    var methods: [String] { requests.map(\.method) }

    /// Ends the listening; open connections end with their clients.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
        rmdir(folder)
    }

    private func acceptAll() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            start { [self] in
                serve(connection)
                close(connection)
            }
        }
        close(listener)
    }

    private func serve(_ connection: Int32) {
        var pending: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            while let end = pending.firstIndex(of: 0x0A) {
                let line = Array(pending[..<end])
                pending.removeSubrange(...end)
                guard respond(to: line, on: connection) else { return }
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            pending += chunk.prefix(count)
        }
    }

    private func respond(to line: [UInt8], on connection: Int32) -> Bool {
        guard let message = try? JSONReader().read(line).object, let method = message["method"]?.string else {
            return false
        }
        let request = Request(method: method, params: message["params"]?.object ?? [:])
        log.withLock { $0.append(request) }
        var reply: JSONObject = ["jsonrpc": "2.0"]
        reply["id"] = message["id"]
        switch answer(request) {
        case .result(let result): write(reply.with("result", result), to: connection)
        case .error(let kind, let code, var data, let text):
            data["kind"] = .string(kind)
            write(
                reply.with("error", ["code": .integer(code), "message": .string(text), "data": .object(data)]),
                to: connection
            )
        case .subscription(let events):
            write(reply.with("result", [:]), to: connection)
            for event in events {
                write(["jsonrpc": "2.0", "method": "event", "params": .object(event)], to: connection)
            }
        case .pieces(let pieces):
            for piece in pieces { send(Array(piece.utf8), to: connection) }
        case .silence: break
        case .hangUp: return false
        }
        return true
    }

    private func write(_ object: JSONObject, to connection: Int32) {
        send(JSONWriter.bytes(.object(object)) + [0x0A], to: connection)
    }

    private func send(_ bytes: [UInt8], to connection: Int32) {
        _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func listen(at path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, chmod(path, 0o600) == 0, Glibc.listen(listener, 16) == 0 else { throw SystemFailure(errno) }
        return listener
    }
}

/// A system call that failed.
struct SystemFailure: Error {
    let number: Int32
    init(_ number: Int32) { self.number = number }
}

/// Runs the work on a thread of its own.
func start(_ work: @escaping @Sendable () -> Void) {
    final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Work(work)).toOpaque()
    pthread_create(
        &thread,
        nil,
        { context in
            guard let context else { return nil }
            Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
            return nil
        },
        context
    )
    pthread_detach(thread)
}

extension JSONObject {
    func with(_ name: String, _ value: JSONObject) -> JSONObject {
        var copy = self
        copy[name] = .object(value)
        return copy
    }
}
