// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// All TCP sockets of this process's network namespace, from `/proc/self/net/tcp` and `tcp6` (proc_net(5)).
package enum SocketTable {
    /// All entries; empty if there is no such file.
    package static var records: [SocketRecord] {
        ["/proc/self/net/tcp", "/proc/self/net/tcp6"].flatMap { file in
            text(of: file).split(separator: "\n").compactMap(record(of:))
        }
    }

    /// Reads a line; nil for the heading.
    static func record(of line: Substring) -> SocketRecord? {
        let columns = line.split(separator: " ")
        // The second column is the local end, the third the remote one, the fourth the state, the eighth the user, the
        // tenth the inode.
        guard columns.count > 9, let local = name(columns[1]), let remote = name(columns[2]),
            let state = UInt8(columns[3], radix: 16), let uid = UInt32(columns[7]), let inode = UInt64(columns[9])
        else { return nil }
        return SocketRecord(local: local, remote: remote, isListening: state == listening, uid: uid, inode: inode)
    }

    /// The kernel's `TCP_LISTEN`.
    static let listening: UInt8 = 10

    /// `0100007F:1F90`: the address in words of the machine's byte order, and the port as a number.
    private static func name(_ text: Substring) -> SocketName? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, parts[0].utf8.count == 8 || parts[0].utf8.count == 32,
            let port = UInt16(parts[1], radix: 16)
        else { return nil }
        var address: [UInt8] = []
        var rest = parts[0]
        while !rest.isEmpty {
            guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
            address += withUnsafeBytes(of: word) { Array($0) }
            rest = rest.dropFirst(8)
        }
        return SocketName(address: address, port: port)
    }

    private static func text(of path: String) -> String {
        (try? RegularFile.bytes(of: path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
