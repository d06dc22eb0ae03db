// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Linux
import Systemd

/// A socket that listens on a loopback address.
struct LoopbackSocket {
    let address: LoopbackAddress
    /// Owned by the holder of the value.
    let descriptor: Int32
    let port: UInt16

    /// The most attempts to find a port that is free in both families.
    private static let attempts = 32

    /// Listens on the addresses at one port, or for port 0 on one that is free for all. An address that this machine
    /// does not have is skipped if another one remains (RFC 8252, section 7.3).
    static func open(_ addresses: [LoopbackAddress], port: UInt16) throws(ListenerError) -> [LoopbackSocket] {
        var failure = ListenerError(code: .noAddress, message: "no loopback address was asked for", underlying: 0)
        for _ in 0..<(port == 0 ? attempts : 1) {
            do {
                return try openOnce(addresses, port: port)
            } catch {
                failure = error
                guard error.code == .portTaken else { break }
            }
        }
        throw failure
    }

    private static func openOnce(
        _ addresses: [LoopbackAddress],
        port: UInt16
    ) throws(ListenerError) -> [LoopbackSocket] {
        var opened: [LoopbackSocket] = []
        var missing: ListenerError?
        for address in addresses {
            do throws(ListenerError) {
                opened.append(try LoopbackSocket(address, port: opened.first?.port ?? port))
            } catch let error where error.code == .noAddress {
                missing = error
            } catch {
                for socket in opened { close(socket.descriptor) }
                throw error
            }
        }
        guard opened.isEmpty, let missing else { return opened }
        throw missing
    }

    private init(_ address: LoopbackAddress, port: UInt16) throws(ListenerError) {
        let family = address == .v4 ? AF_INET : AF_INET6
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = SocketDescriptor.open(family: family, type: kind)
        guard descriptor >= 0 else { throw .system(errno, address, port) }
        // A port of an earlier login in TIME_WAIT is free; one with a listener is not.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if address == .v6 {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        guard Self.bindLoopback(descriptor, address, port) == 0, listen(descriptor, 64) == 0,
            let bound = Self.boundPort(descriptor)
        else {
            let code = errno
            close(descriptor)
            throw .system(code, address, port)
        }
        self.address = address
        self.descriptor = descriptor
        self.port = bound
    }

    private static func bindLoopback(_ descriptor: Int32, _ address: LoopbackAddress, _ port: UInt16) -> Int32 {
        switch address {
        case .v4:
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return bindName(descriptor, &name)
        case .v6:
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            name.sin6_addr = in6addr_loopback
            return bindName(descriptor, &name)
        }
    }

    private static func bindName<Name>(_ descriptor: Int32, _ name: inout Name) -> Int32 {
        withUnsafeBytes(of: &name) { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return bind(
                descriptor,
                start.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count)
            )
        }
    }

    /// The port, at the same offset in both address structures.
    private static func boundPort(_ descriptor: Int32) -> UInt16? {
        var name = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutableBytes(of: &name) { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return -1 }
            return getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return result == 0 ? UInt16(bigEndian: name.sin6_port) : nil
    }
}

extension ListenerError {
    fileprivate static func system(_ code: Int32, _ address: LoopbackAddress, _ port: UInt16) -> ListenerError {
        let place = "\(address.literal):\(port)"
        switch code {
        case EADDRINUSE:
            let holder = PortHolder.description(of: port, on: address)
            return ListenerError(
                code: .portTaken,
                message: "port \(port) on \(address.literal) is taken by \(holder)",
                underlying: code
            )
        case EACCES, EPERM:
            return ListenerError(
                code: .notPermitted,
                message: "listening on \(place) is not permitted",
                underlying: code
            )
        case EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT:
            return ListenerError(
                code: .noAddress,
                message: "this machine has no address \(address.literal)",
                underlying: code
            )
        default:
            return ListenerError(
                code: .failed,
                message: "cannot listen on \(place): \(String(cString: strerror(code)))",
                underlying: code
            )
        }
    }
}
