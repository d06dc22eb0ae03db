// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Tells whose the other end is of a TCP connection that a program of this machine has made to a socket of ours.
///
/// A connection over a loopback address has both its ends in one network namespace, so that the kernel knows the other one.
/// A program in a sandbox or a container that shares the network is known by the user that it is outside of it.
package struct ConnectionOwners: Sendable {
    /// Where the kernel is asked.
    enum Source: Sendable, CaseIterable {
        /// For one socket (sock_diag(7)).
        case diagnosis
        /// For all of them (`/proc/net/tcp`), where it has no such answer: a module, or what a sandbox allows.
        case table
    }

    private let here: SocketName
    let source: Source

    /// - Parameter listener: the socket that connections come to; one that is bound to a single address.
    package init?(listener descriptor: Int32) {
        guard let here = SocketName(ofSocket: descriptor) else { return nil }
        // The socket itself is there for sure.
        self.init(here, SocketDiagnosis.record(local: here, remote: nil) == nil ? .table : .diagnosis)
    }

    init(_ here: SocketName, _ source: Source) {
        self.here = here
        self.source = source
    }

    /// The user whose program has the other end; nil where no program has it any more, or nobody can say.
    package func uid(at peer: SocketName) -> UInt32? {
        let found =
            switch source {
            case .diagnosis: SocketDiagnosis.record(local: peer, remote: here)
            case .table: SocketTable.records.first { $0.local == peer && $0.remote == here }
            }
        // What a program has closed is told as root's, and without an inode.
        guard let found, found.inode != 0 else { return nil }
        return found.uid
    }
}
