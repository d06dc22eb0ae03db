// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// A DNS server (RFC 1035) on the network of the thread that makes it: it knows the IPv4 addresses of every name, which
/// are the same, and no others.
package final class NameServer: Sendable {
    private struct State {
        var addresses: [String]
        var count = 0
    }

    private let socket: Descriptor
    private let state: Mutex<State>

    /// Listens at once, on the port of DNS.
    package init(at address: String, answering addresses: [String]) throws {
        socket = try Descriptor(AF_INET, SOCK_DGRAM)
        state = Mutex(State(addresses: addresses))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(53).bigEndian
        place.sin_addr.s_addr = inet_addr(address)
        let bound = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0 else { throw SystemCallError("bind \(address):53") }
        DetachedThread.run { [weak self, socket] in Self.serve(socket) { self?.answer($0) } }
    }

    deinit { socket.end() }

    /// What it answers from now on, in this order.
    package func answer(_ addresses: [String]) { state.withLock { $0.addresses = addresses } }

    /// How many questions have come.
    package var count: Int { state.withLock { $0.count } }

    private func answer(_ question: [UInt8]) -> [UInt8]? {
        let addresses = state.withLock { state in
            state.count += 1
            return state.addresses
        }
        // The header, then one name, which ends with an empty label, and its type and class.
        guard question.count > 16, let end = question[12...].firstIndex(of: 0), question.count >= end + 5 else {
            return nil
        }
        let isIPv4 = question[end + 1] == 0 && question[end + 2] == 1
        let found = isIPv4 ? addresses : []
        // An answer, authoritative, to one question; the resolver's wish for more (EDNS) is passed over.
        var answer = question[..<2] + [0x85, 0x80, 0, 1, 0, UInt8(found.count), 0, 0, 0, 0]
        answer += question[12..<(end + 5)]
        for address in found {
            let bytes = address.split(separator: ".").compactMap { UInt8($0) }
            // The name above, IPv4, the Internet, no time to live, four bytes.
            answer += [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4] + bytes
        }
        return Array(answer)
    }

    private static func serve(_ socket: Descriptor, _ answer: ([UInt8]) -> [UInt8]?) {
        var buffer = [UInt8](repeating: 0, count: 1024)
        while true {
            var sender = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &sender) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(socket.number, &buffer, buffer.count, 0, $0, &size)
                }
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            guard let bytes = answer(Array(buffer[..<count])) else { continue }
            _ = withUnsafePointer(to: &sender) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(socket.number, bytes, bytes.count, 0, $0, size)
                }
            }
        }
    }
}
