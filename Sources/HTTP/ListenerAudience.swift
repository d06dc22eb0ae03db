// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd

/// The users whose connections a listener accepts: this process's own. Any other user of the machine can reach a
/// loopback address, and can read in a browser's arguments what to request there.
///
/// Root's are accepted, too: nothing can be hidden from root, and relays from another system (WSL, a forwarded port)
/// run as root. A connection whose other end is already gone, or whose user the kernel does not report, is refused.
struct ListenerAudience {
    /// Called for each refused connection, with its user, if known.
    typealias Refusal = (UInt32?) -> Void

    private let owners: ConnectionOwners?
    private let own: UInt32
    private let whenRefused: Refusal

    init(listener descriptor: Int32, own: UInt32 = geteuid(), whenRefused: @escaping Refusal) {
        owners = ConnectionOwners(listener: descriptor)
        self.own = own
        self.whenRefused = whenRefused
    }

    /// Whether a connection from this address is accepted.
    func admits(_ peer: UnsafeRawBufferPointer) -> Bool {
        let uid = SocketName(peer).flatMap { owners?.uid(at: $0) }
        if let uid, Self.includes(uid, own: own) { return true }
        whenRefused(uid)
        return false
    }

    /// Whether a user's connections are accepted.
    static func includes(_ uid: UInt32, own: UInt32) -> Bool { uid == own || uid == 0 }
}
