// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTPTypes
import Systemd

/// Finds out who listens on a port, for the sentence that says so. It looks through `/proc`, and only after
/// the port could not be had.
enum PortHolder {
    /// Who holds the TCP port of an address, as the end of `is taken by`.
    static func description(of port: UInt16, on address: LoopbackAddress) -> String {
        guard let (name, process) = listener(on: port, address) else { return "another program" }
        return process == getpid() ? "another sign-in of tokend" : "another program (\(name), process \(process))"
    }

    /// The program that listens on the port; nil where it is another user's.
    private static func listener(on port: UInt16, _ address: LoopbackAddress) -> (name: String, process: pid_t)? {
        let sockets = listeningSockets(on: port, address)
        guard !sockets.isEmpty else { return nil }
        for process in names(in: "/proc").compactMap(pid_t.init) {
            let folder = "/proc/\(process)/fd"
            guard names(in: folder).contains(where: { sockets.contains(target(of: "\(folder)/\($0)")) }) else {
                continue
            }
            let name = text(of: "/proc/\(process)/comm").prefix { !$0.isNewline }
            return (DisplayText.sanitized(String(name)), process)
        }
        return nil
    }

    /// Local addresses that keep a listener off this one, as `/proc/net/tcp` and `tcp6` write them: the address itself,
    /// and those that stand for every one.
    private static func locals(_ address: LoopbackAddress) -> [String] {
        let everySix = String(repeating: "0", count: 32)
        switch address {
        case .v4: return ["0100007F", "00000000", everySix, "0000000000000000FFFF00000100007F"]
        case .v6: return ["00000000000000000000000001000000", everySix]
        }
    }

    /// The sockets as `/proc/PID/fd` names them: `socket:[12345]`. One of the other family at the same port is none of
    /// them: that may be this very login's.
    private static func listeningSockets(on port: UInt16, _ address: LoopbackAddress) -> Set<String> {
        let hexadecimal = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        let wanted = Set(locals(address).map { $0 + suffix })
        var found: Set<String> = []
        for file in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
            for line in text(of: file).split(separator: "\n") {
                let columns = line.split(separator: " ")
                // The second is the local address, the fourth the state (0A: listening), the tenth the inode.
                guard columns.count > 9, wanted.contains(String(columns[1])), columns[3] == "0A" else { continue }
                found.insert("socket:[\(columns[9])]")
            }
        }
        return found
    }

    private static func names(in path: String) -> [String] {
        (try? RegularFile.names(in: path)) ?? []
    }

    private static func target(of path: String) -> String {
        var bytes = [CChar](repeating: 0, count: 64)
        let count = readlink(path, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0, bytes.count < 4 << 20 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
