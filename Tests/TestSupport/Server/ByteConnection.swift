// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// One accepted connection of a `ByteServer`, used by its own thread alone.
package final class ByteConnection {
    /// The descriptor; the server owns it and closes it when the handler has returned.
    package let descriptor: Int32
    private var unread: [UInt8] = []

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// The most that a head or a body may have; more ends the connection.
    private static let limit = 4 << 20

    /// Blocks until a whole request has come; nil at the end of input or for something that is not HTTP/1.x.
    package func readRequest() -> WireRequest? {
        let blankLine = Array("\r\n\r\n".utf8)
        var end = unread.firstRange(of: blankLine)
        while end == nil {
            guard unread.count < Self.limit, fill() else { return nil }
            end = unread.firstRange(of: blankLine)
        }
        guard let end else { return nil }
        let head = String(decoding: unread[..<end.lowerBound], as: UTF8.self)
        unread.removeSubrange(..<end.upperBound)
        guard let request = Self.parse(head: head) else { return nil }
        let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
        guard length >= 0, length <= Self.limit else { return nil }
        while unread.count < length { guard fill() else { return nil } }
        let body = Array(unread.prefix(length))
        unread.removeFirst(length)
        return WireRequest(method: request.method, target: request.target, headers: request.headers, body: body)
    }

    /// Sends all of `bytes`; false once the peer is gone.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { rest in
                Glibc.send(descriptor, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Makes the coming close a reset (RST) instead of an orderly end.
    package func resetOnClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    private func fill() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            unread += buffer[..<count]
            return true
        }
    }

    private static func parse(head: String) -> WireRequest? {
        // "\r\n" is one Character in Swift, so the lines are split at that.
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        guard let first = lines.first else { return nil }
        let words = first.split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
        let headers = lines.dropFirst().compactMap(WireHeader.init(line:))
        return WireRequest(method: String(words[0]), target: String(words[1]), headers: headers)
    }
}
