// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// The address and the port of one end of a TCP connection.
package struct SocketName: Sendable, Hashable {
    /// 4 bytes, or 16 of IPv6, in network order. An IPv4-mapped IPv6 address (`::ffff:127.0.0.1`; RFC 4291, section
    /// 2.5.5.2) is stored as the IPv4 address.
    package let address: [UInt8]
    package let port: UInt16

    /// - Parameter address: 4 or 16 bytes.
    package init(address: some Collection<UInt8>, port: UInt16) {
        let isMapped = address.count == 16 && address.starts(with: Self.mappedPrefix)
        self.address = Array(isMapped ? address.dropFirst(12) : address.dropFirst(0))
        self.port = port
    }

    /// Reads an address from `accept(2)` or `getsockname(2)`; nil for a family without ports.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
        switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET:
            let name = bytes.loadUnaligned(as: sockaddr_in.self)
            self.init(address: withUnsafeBytes(of: name.sin_addr) { Array($0) }, port: UInt16(bigEndian: name.sin_port))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            let name = bytes.loadUnaligned(as: sockaddr_in6.self)
            self.init(
                address: withUnsafeBytes(of: name.sin6_addr) { Array($0) },
                port: UInt16(bigEndian: name.sin6_port)
            )
        default: return nil
        }
    }

    /// The local end of a socket; nil if it has none.
    package init?(ofSocket descriptor: Int32) {
        var name = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let known = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard known == 0, let own = withUnsafeBytes(of: name, { SocketName($0) }) else { return nil }
        self = own
    }

    var isIPv4: Bool { address.count == 4 }

    private static let mappedPrefix: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
}
