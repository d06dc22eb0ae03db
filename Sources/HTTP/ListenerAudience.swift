// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd

/// Whose connections a listener takes: those of this process' own user. Any other user of the machine can reach a loopback
/// address, and can read in a browser's arguments what to ask for there.
///
/// Root's are taken, too: nothing is kept from root, and what carries a browser's connection here from another system
/// (WSL, a forwarded port) runs as root. A connection whose other end is gone already, or of which the kernel does not say
/// whose it is, is not.
struct ListenerAudience {
    /// Called for each connection that is not taken, with its user, where that is known.
    typealias Refusal = (UInt32?) -> Void

    private let owners: ConnectionOwners?
    private let own: UInt32
    private let whenRefused: Refusal

    init(listener descriptor: Int32, own: UInt32 = geteuid(), whenRefused: @escaping Refusal) {
        owners = ConnectionOwners(listener: descriptor)
        self.own = own
        self.whenRefused = whenRefused
    }

    /// Whether a connection from this address is taken.
    func admits(_ peer: UnsafeRawBufferPointer) -> Bool {
        let uid = SocketName(peer).flatMap { owners?.uid(at: $0) }
        if let uid, Self.includes(uid, own: own) { return true }
        whenRefused(uid)
        return false
    }

    /// Whether a user's connections are taken.
    static func includes(_ uid: UInt32, own: UInt32) -> Bool { uid == own || uid == 0 }
}
