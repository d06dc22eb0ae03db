// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CLinux

/// Opens sockets for this program.
package enum SocketDescriptor {
    /// Opens a socket (`socket(2)`); -1 with `errno` if the kernel refuses. The caller owns the descriptor.
    ///
    /// Every socket of the daemon is opened here, because the unit's `RestrictAddressFamilies=` is a seccomp filter. It
    /// compares the whole 64-bit register, the C function takes 32 bits of it, and optimised code may leave anything in
    /// the upper half: the call then fails with `EAFNOSUPPORT`, in the release build alone.
    package static func open(family: Int32, type: Int32, protocol: Int32 = 0) -> Int32 {
        tokend_linux_socket(family, type, `protocol`)
    }
}
