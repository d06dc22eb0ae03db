// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// The sockets in a D-Bus address (D-Bus specification, “Server Addresses”).
package struct BusAddress: Sendable, Equatable {
    /// The paths of Unix sockets, in order; an abstract name begins with a zero byte.
    package let paths: [String]
    /// Whether it consists of Unix sockets alone.
    private let isComplete: Bool

    /// Whether it is certainly dead: each of its sockets is gone, or has no listener.
    package var isStale: Bool {
        isComplete && !paths.isEmpty
            && paths.allSatisfy { path in Self.fault(at: path).map { [ENOENT, ECONNREFUSED].contains($0) } ?? false }
    }

    /// Other transports are ignored: desktop sessions use Unix sockets.
    package init(_ address: String) {
        let entries = address.split(separator: ";")
        paths = entries.compactMap { entry in
            guard entry.hasPrefix("unix:") else { return nil }
            for pair in entry.dropFirst("unix:".count).split(separator: ",") {
                if pair.hasPrefix("path=") { return Self.decoded(pair.dropFirst("path=".count)) }
                if pair.hasPrefix("abstract=") { return "\0" + Self.decoded(pair.dropFirst("abstract=".count)) }
            }
            return nil
        }
        isComplete = paths.count == entries.count
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(String(Substring(digits)), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Connects to a Unix socket and disconnects at once; the error number, or nil if there is a listener.
    package static func fault(at path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // A bus with a full queue exists: do not wait for it.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = SocketDescriptor.open(family: AF_UNIX, type: kind)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // The length ends an abstract name.
        let isAbstract = bytes.first == 0
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let size = isAbstract ? offset + bytes.count : MemoryLayout<sockaddr_un>.size
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(size)) }
        }
        return result == 0 || errno == EAGAIN ? nil : errno
    }
}
