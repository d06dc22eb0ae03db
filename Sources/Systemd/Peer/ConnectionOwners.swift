// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Finds the user at the other end of a local TCP connection to one of our sockets.
///
/// Both ends of a loopback connection are in one network namespace, so the kernel knows the other one. A program in a
/// sandbox or a container that shares the network has its outer user ID.
package struct ConnectionOwners: Sendable {
    /// The kernel's interface.
    enum Source: Sendable, CaseIterable {
        /// For one socket (sock_diag(7)).
        case diagnosis
        /// For all sockets (`/proc/net/tcp`), if the former is missing: its module, or the sandbox's permission.
        case table
    }

    private let here: SocketName
    let source: Source

    /// - Parameter listener: the listening socket; bound to a single address.
    package init?(listener descriptor: Int32) {
        guard let here = SocketName(ofSocket: descriptor) else { return nil }
        // The socket itself certainly exists.
        self.init(here, SocketDiagnosis.record(local: here, remote: nil) == nil ? .table : .diagnosis)
    }

    init(_ here: SocketName, _ source: Source) {
        self.here = here
        self.source = source
    }

    /// The user of the program at the other end; nil if no program has it any more, or it is unknown.
    package func uid(at peer: SocketName) -> UInt32? {
        let found =
            switch source {
            case .diagnosis: SocketDiagnosis.record(local: peer, remote: here)
            case .table: SocketTable.records.first { $0.local == peer && $0.remote == here }
            }
        // A closed socket is reported as root's, without an inode.
        guard let found, found.inode != 0 else { return nil }
        return found.uid
    }
}
