// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// The receiving end of `NOTIFY_SOCKET`: what a service manager hears from a daemon.
package final class NotifySocket: Sendable {
    /// Value for the daemon's `NOTIFY_SOCKET`.
    package let path: String
    private let descriptor: Int32
    private let log = EventLog<String>()

    /// Listens at `path`, which must be free.
    package init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemCallError("socket") }
        guard UnixAddress(path).use({ bind(descriptor, $0, $1) }) == 0 else {
            let error = SystemCallError("bind \(path)")
            close(descriptor)
            throw error
        }
        DetachedThread.run { [descriptor, log] in Self.receive(descriptor, log) }
    }

    deinit {
        shutdown(descriptor, CInt(SHUT_RDWR))
        unlink(path)
    }

    /// Waits for the next line of that form, such as `READY=1`, that no earlier call took.
    @discardableResult
    package func next(_ prefix: String, within limit: Duration = .seconds(30)) async throws -> String {
        try await log.next(prefix, within: limit) { $0.hasPrefix(prefix) }
    }

    /// Every line so far.
    package var lines: [String] { log.all }

    private static func receive(_ descriptor: Int32, _ log: EventLog<String>) {
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for line in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") {
                log.append(String(line))
            }
        }
        close(descriptor)
    }
}
