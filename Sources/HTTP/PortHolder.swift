// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTPTypes
import Systemd

/// Finds the program that listens on a port, for the error message. It reads `/proc` only after the port turned out to
/// be taken.
enum PortHolder {
    /// The program that has the TCP port of an address, as the end of `is taken by`.
    static func description(of port: UInt16, on address: LoopbackAddress) -> String {
        guard let (name, process) = listener(on: port, address) else { return "another program" }
        return process == getpid() ? "another sign-in of tokend" : "another program (\(name), process \(process))"
    }

    /// The program that listens on the port; nil if it is another user's.
    private static func listener(on port: UInt16, _ address: LoopbackAddress) -> (name: String, process: pid_t)? {
        let sockets = listeningSockets(on: port, address)
        guard !sockets.isEmpty else { return nil }
        for process in names(in: "/proc").compactMap(pid_t.init) {
            let folder = "/proc/\(process)/fd"
            guard names(in: folder).contains(where: { sockets.contains(target(of: "\(folder)/\($0)")) }) else {
                continue
            }
            let name = (try? RegularFile.bytes(of: "/proc/\(process)/comm")) ?? []
            return (DisplayText.sanitized(String(decoding: name.prefix { $0 != 0x0A }, as: UTF8.self)), process)
        }
        return nil
    }

    /// Local addresses that conflict with this one: the address itself, and the wildcards.
    private static func locals(_ address: LoopbackAddress) -> [[UInt8]] {
        let everySix = [UInt8](repeating: 0, count: 16)
        switch address {
        case .v4: return [[127, 0, 0, 1], [0, 0, 0, 0], everySix]
        case .v6: return [everySix.dropLast() + [1], everySix]
        }
    }

    /// The sockets as named in `/proc/PID/fd`: `socket:[12345]`. The other family's at the same port are excluded: they
    /// may be this login's own.
    private static func listeningSockets(on port: UInt16, _ address: LoopbackAddress) -> Set<String> {
        let wanted = Set(locals(address).map { SocketName(address: $0, port: port) })
        let found = SocketTable.records.filter { $0.isListening && wanted.contains($0.local) }
        return Set(found.map { "socket:[\($0.inode)]" })
    }

    private static func names(in path: String) -> [String] {
        (try? RegularFile.names(in: path)) ?? []
    }

    private static func target(of path: String) -> String {
        var bytes = [CChar](repeating: 0, count: 64)
        let count = readlink(path, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
