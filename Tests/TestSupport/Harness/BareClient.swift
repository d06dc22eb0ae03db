// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A connection to the daemon's socket without a thread of its own, of which a test may have thousands. Its calls block:
/// none of them longer than `patience`.
package final class BareClient: Sendable {
    private let socket: Descriptor

    /// Connects at once.
    ///
    /// - Parameter patience: in seconds, for each call.
    package init(path: String, patience: Int = 30) throws {
        socket = try Descriptor(AF_UNIX, SOCK_STREAM)
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket.number, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard UnixAddress(path).use({ connect(socket.number, $0, $1) }) == 0 else {
            throw SystemCallError("connect \(path)")
        }
    }

    /// Sends bytes; how many the daemon's side has taken: fewer than all where it takes no more, or has hung up.
    @discardableResult
    package func send(_ bytes: [UInt8], waiting: Bool = true) -> Int {
        let flags = CInt(MSG_NOSIGNAL) | (waiting ? 0 : CInt(MSG_DONTWAIT))
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { Glibc.send(socket.number, $0 + sent, bytes.count - sent, flags) } ?? 0
            }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Reads until so many lines have come; fewer where the daemon hangs up or says nothing more.
    package func lines(_ count: Int) -> Int {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var found = 0
        while found < count {
            let received = recv(socket.number, &buffer, buffer.count, 0)
            guard received > 0 else { break }
            found += buffer[..<received].count { $0 == UInt8(ascii: "\n") }
        }
        return found
    }

    /// Ends the connection, as a client that dies does.
    package func hangUp() { socket.end() }
}
