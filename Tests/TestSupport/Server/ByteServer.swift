// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// A small HTTP/1.1 server on 127.0.0.1 whose handlers write bytes, so that they can break every rule of HTTP.
///
/// Each connection has a blocking thread of its own; nothing here runs on Swift's shared task threads.
package final class ByteServer: Sendable {
    /// Answers one request; false closes the connection, true waits for its next request.
    package typealias Handler = @Sendable (WireRequest, ByteConnection) -> Bool

    package let port: UInt16
    private let listener: Descriptor
    private let handler: Handler
    private let open: Mutex<OpenDescriptors>

    private struct OpenDescriptors {
        var connections: Set<Int32> = []
        var stopped = false
    }

    /// Listens at once on 127.0.0.1; port 0 lets the system choose.
    package init(port wanted: UInt16 = 0, handler: @escaping Handler) throws {
        (listener, port) = try Self.listen(on: wanted)
        self.handler = handler
        open = Mutex(OpenDescriptors())
        DetachedThread.run { [self] in acceptLoop() }
    }

    /// Stops listening and cuts every connection; later connection attempts are refused. Harmless when repeated.
    package func stop() {
        open.withLock { open in
            guard !open.stopped else { return }
            open.stopped = true
            listener.end()
            for connection in open.connections { shutdown(connection, CInt(SHUT_RDWR)) }
        }
    }

    /// Waits until nothing is left of the peers that have hung up or died: what they had sent was handled.
    package func drain() async throws {
        var quiet = 0
        while quiet < 2 {
            quiet = isQuiet ? quiet + 1 : 0
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// No connection is open, and none waits to be accepted.
    private var isQuiet: Bool {
        var waiting = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) == 0 && open.withLock { $0.connections.isEmpty }
    }

    private func acceptLoop() {
        while true {
            let connection = accept(listener.number, nil, nil)
            if connection < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            let kept = open.withLock { open in
                if !open.stopped { open.connections.insert(connection) }
                return !open.stopped
            }
            guard kept else {
                close(connection)
                return
            }
            DetachedThread.run { [self] in serve(connection) }
        }
    }

    private func serve(_ descriptor: Int32) {
        let connection = ByteConnection(descriptor: descriptor)
        while let request = connection.readRequest(), handler(request, connection) {}
        open.withLock { open in
            open.connections.remove(descriptor)
            close(descriptor)
        }
    }

    private static func listen(on wanted: UInt16) throws -> (listener: Descriptor, port: UInt16) {
        let listener = try Descriptor(AF_INET, SOCK_STREAM)
        var yes: Int32 = 1
        setsockopt(listener.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener.number, address, length) == 0 && Glibc.listen(listener.number, 64) == 0
                    && getsockname(listener.number, address, &length) == 0
            }
        }
        guard bound else { throw SystemCallError("bind 127.0.0.1:\(wanted)") }
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}
