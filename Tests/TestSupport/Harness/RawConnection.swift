// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A TCP connection to a loopback server, blocking, with 30 s for each step; for requests that no client would send.
package final class RawConnection: Sendable {
    /// An HTTP answer taken apart.
    package struct Answer: Sendable {
        package let status: Int
        package let headers: [WireHeader]
        package let body: String
    }

    private let descriptor: Int32

    /// Connects at once.
    package init(_ address: HTTPAddress) throws {
        descriptor = try Self.connect(address)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    deinit { close(descriptor) }

    /// Sends a text as it is.
    package func send(_ text: String) throws {
        let sent = ByteConnection(descriptor: descriptor).send(Array(text.utf8))
        guard sent else { throw SystemCallError("send") }
    }

    /// Reads and drops until the peer ends the connection, or says nothing for 30 s.
    package func awaitEnd() {
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) > 0 {}
    }

    /// Ends the connection in both directions; the descriptor lives on until the last reference is gone.
    package func hangUp() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// Reads to the end of the connection, which the request must have asked for, and takes the answer apart.
    package func readAnswer() throws -> Answer {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemCallError("recv") }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw TimedOut("an HTTP answer") }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, let status = Int(words[1]) else { throw TimedOut("an HTTP status line") }
        let headers = lines.dropFirst().compactMap(WireHeader.init(line:))
        let body = Array(bytes[end.upperBound...])
        let isChunked = headers.contains { $0.name.lowercased() == "transfer-encoding" && $0.value == "chunked" }
        let text = String(decoding: isChunked ? Self.joinChunks(body) : body, as: UTF8.self)
        return Answer(status: status, headers: headers, body: text)
    }

    private static func joinChunks(_ body: [UInt8]) -> [UInt8] {
        var rest = body[...]
        var joined: [UInt8] = []
        while let end = rest.firstRange(of: Array("\r\n".utf8)) {
            let size = String(decoding: rest[..<end.lowerBound].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let count = Int(size, radix: 16), count > 0 else { break }
            joined += rest[end.upperBound...].prefix(count)
            rest = rest[end.upperBound...].dropFirst(count + 2)
        }
        return joined
    }

    private static func connect(_ address: HTTPAddress) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &found) == 0 else {
            throw SystemCallError("resolve \(address.host)", code: ENOENT)
        }
        defer { freeaddrinfo(found) }
        var failure = SystemCallError("connect \(address.authority)", code: ECONNREFUSED)
        var next = found
        while let info = next?.pointee {
            let descriptor = socket(info.ai_family, info.ai_socktype | CInt(SOCK_CLOEXEC.rawValue), info.ai_protocol)
            if descriptor >= 0, Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 { return descriptor }
            failure = SystemCallError("connect \(address.authority)")
            if descriptor >= 0 { close(descriptor) }
            next = info.ai_next
        }
        throw failure
    }
}
