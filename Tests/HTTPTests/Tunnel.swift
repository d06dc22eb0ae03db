// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TestSupport

extension ByteConnection {
    /// Answers a CONNECT and carries bytes both ways to that port of 127.0.0.1 until either side ends.
    func tunnel(to port: UInt16) {
        let other = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        defer { close(other) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard connected, send(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)) else { return }
        var ends = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&ends, 2, 20_000) > 0 {
            for (index, end) in ends.enumerated() where end.revents != 0 {
                guard Self.carry(from: end.fd, to: ends[1 - index].fd) else { return }
            }
        }
    }

    private static func carry(from: Int32, to: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(from, &buffer, buffer.count, 0)
        return count > 0 && Glibc.send(to, buffer, count, CInt(MSG_NOSIGNAL)) == count
    }
}
