// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A TCP socket as the kernel tells of it, of whichever process.
package struct SocketRecord: Sendable, Hashable {
    /// Its own end.
    package let local: SocketName
    /// What it is connected to; the port is 0 while it listens.
    package let remote: SocketName
    /// Whether it waits for connections.
    package let isListening: Bool
    /// Who made it, as this process' user namespace calls them; 0 for one that no process has any more.
    package let uid: UInt32
    /// The number that `/proc/PID/fd` has, too; 0 for one that no process has any more.
    package let inode: UInt64
}
