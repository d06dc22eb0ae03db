// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// What the daemon needs of Unix sockets and Swift's Glibc module lacks.
package enum UnixSocket {
    /// The process at the other end, as the kernel named it when it connected (`SO_PEERCRED`, unix(7)).
    package struct Credentials: Sendable, Equatable {
        package var pid: Int32
        package var uid: UInt32
        package var gid: UInt32
    }

    /// Takes one connection: non-blocking, closed on exec, owned by the caller.
    ///
    /// - Throws: `EAGAIN` where none waits, `EMFILE` where the process has no descriptor left.
    package static func accept(_ listener: Int32) throws(SystemdError) -> Int32 {
        while true {
            let descriptor = tokend_systemd_accept(listener)
            if descriptor < 0, errno == EINTR || errno == ECONNABORTED { continue }
            return try SystemdError.checkErrno(descriptor, "accept a connection")
        }
    }

    /// - Throws: where the kernel does not say.
    package static func credentials(of descriptor: Int32) throws(SystemdError) -> Credentials {
        var credentials = Credentials(pid: 0, uid: 0, gid: 0)
        var length = socklen_t(MemoryLayout<Credentials>.size)
        try SystemdError.checkErrno(
            getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length),
            "ask who connected"
        )
        return credentials
    }

    /// Has the kernel say, with whatever is read from now on, which process wrote it (`SO_PASSCRED`); connections that a
    /// listener takes inherit it.
    package static func passCredentials(_ descriptor: Int32) throws(SystemdError) {
        try SystemdError.checkErrno(tokend_systemd_pass_credentials(descriptor), "ask who writes")
    }

    /// Reads once, without waiting, what one process wrote.
    ///
    /// - Returns: as recv(2), with `errno` set where it is negative; and the process, 0 where the kernel does not say.
    package static func receive(
        _ descriptor: Int32,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> (count: Int, sender: Int32) {
        var sender: Int32 = 0
        let count = tokend_systemd_receive(descriptor, buffer.baseAddress, buffer.count, &sender)
        return (count, sender)
    }
}
