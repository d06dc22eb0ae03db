// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// Functions for Unix sockets that Swift's Glibc module lacks.
package enum UnixSocket {
    /// The process at the other end, as recorded by the kernel when it connected (`SO_PEERCRED`, unix(7)).
    package struct Credentials: Sendable, Equatable {
        package var pid: Int32
        package var uid: UInt32
        package var gid: UInt32
    }

    /// Accepts one connection: non-blocking, closed on exec, owned by the caller.
    ///
    /// - Throws: `EAGAIN` if none waits, `EMFILE` if the process has no descriptor left.
    package static func accept(_ listener: Int32) throws(SystemdError) -> Int32 {
        while true {
            let descriptor = tokend_systemd_accept(listener)
            if descriptor < 0, errno == EINTR || errno == ECONNABORTED { continue }
            return try SystemdError.checkErrno(descriptor, "accept a connection")
        }
    }

    /// - Throws: if the kernel does not tell.
    package static func credentials(of descriptor: Int32) throws(SystemdError) -> Credentials {
        var credentials = Credentials(pid: 0, uid: 0, gid: 0)
        var length = socklen_t(MemoryLayout<Credentials>.size)
        try SystemdError.checkErrno(
            getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length),
            "ask who connected"
        )
        return credentials
    }

    /// Makes the kernel report, with whatever is read from now on, the process that wrote it (`SO_PASSCRED`);
    /// connections that a listener accepts inherit it.
    package static func passCredentials(_ descriptor: Int32) throws(SystemdError) {
        try SystemdError.checkErrno(tokend_systemd_pass_credentials(descriptor), "ask who writes")
    }

    /// Reads once, without waiting, what one process wrote, and what the next one did.
    ///
    /// - Parameters:
    ///   - buffer: half of it is for either.
    ///   - body: called with bytes, and with the process that wrote them, 0 where the kernel does not say; with none at the
    ///     end of the stream.
    /// - Returns: how often `body` was called: twice where more may be left. -1 where nothing can be read, with `errno` as
    ///   recv(2) has it.
    package static func receive(
        _ descriptor: Int32,
        into buffer: UnsafeMutableRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, Int32) -> Void
    ) -> Int {
        let half = buffer.count / 2
        var pieces = (tokend_systemd_piece(), tokend_systemd_piece())
        let received = withUnsafeMutableBytes(of: &pieces) { pieces in
            tokend_systemd_receive(
                descriptor,
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                half,
                pieces.baseAddress?.assumingMemoryBound(to: tokend_systemd_piece.self)
            )
        }
        if received > 0 { body(UnsafeRawBufferPointer(rebasing: buffer[..<pieces.0.count]), pieces.0.sender) }
        if received > 1 {
            body(UnsafeRawBufferPointer(rebasing: buffer[half..<(half + pieces.1.count)]), pieces.1.sender)
        }
        return Int(received)
    }
}
