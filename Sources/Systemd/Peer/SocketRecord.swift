// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The kernel's record of a TCP socket of any process.
package struct SocketRecord: Sendable, Hashable {
    /// The local end.
    package let local: SocketName
    /// The remote end; its port is 0 while it listens.
    package let remote: SocketName
    /// Whether it is listening.
    package let isListening: Bool
    /// Its user in this process's user namespace; 0 if no process has it any more.
    package let uid: UInt32
    /// Its number in `/proc/PID/fd`; 0 if no process has it any more.
    package let inode: UInt64
}
