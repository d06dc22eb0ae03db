// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// The receiving end of `NOTIFY_SOCKET`: what a service manager hears from a daemon.
package final class NotifySocket: Sendable {
    /// Value for the daemon's `NOTIFY_SOCKET`.
    package let path: String
    private let socket: Descriptor
    private let log = EventLog<String>()

    /// Listens at `path`, which must be free.
    package init(path: String) throws {
        self.path = path
        socket = try Descriptor(AF_UNIX, SOCK_DGRAM)
        guard UnixAddress(path).use({ bind(socket.number, $0, $1) }) == 0 else { throw SystemCallError("bind \(path)") }
        DetachedThread.run { [socket, log] in Self.receive(socket, log) }
    }

    deinit {
        socket.end()
        unlink(path)
    }

    /// Waits for the next line of that form, such as `READY=1`, that no earlier call took.
    @discardableResult
    package func next(_ prefix: String, within limit: Duration = .seconds(30)) async throws -> String {
        try await log.next(prefix, within: limit) { $0.hasPrefix(prefix) }
    }

    /// Every line so far.
    package var lines: [String] { log.all }

    private static func receive(_ socket: Descriptor, _ log: EventLog<String>) {
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = recv(socket.number, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for line in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") {
                log.append(String(line))
            }
        }
    }
}
