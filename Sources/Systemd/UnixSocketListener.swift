// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc
import Linux

/// Listening sockets on a path of the file system.
package enum UnixSocketListener {
    /// Whether `descriptor` is a stream socket that listens on a path.
    package static func isListening(_ descriptor: Int32) -> Bool {
        ServiceManager.isListeningUnixStream(descriptor)
    }

    /// Whether there is a listener at `path`.
    package static func answers(_ path: String) -> Bool {
        guard let descriptor = try? make() else { return false }
        defer { close(descriptor) }
        // A full backlog has a listener, too.
        return withAddress(path) { connect(descriptor, $0, $1) } == 0 || errno == EAGAIN
    }

    /// A listening socket at `path`, replacing a dead socket. The caller owns it.
    ///
    /// - Parameter mode: the file's permissions from its creation; they are not changed at the path later, where
    ///   another file may be by then.
    /// - Throws: `EEXIST` if there is something other than a socket, `ENAMETOOLONG`.
    package static func bind(_ path: String, mode: UInt32 = 0o600) throws(SystemdError) -> Int32 {
        guard path.utf8.count < 108 else { throw SystemdError(code: ENAMETOOLONG, operation: "bind \(path)") }
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK else {
                throw SystemdError(code: EEXIST, operation: "bind \(path)")
            }
            unlink(path)
        }
        let descriptor = try make()
        let mask = umask(0o777 & ~mode)
        let bound = withAddress(path) { Glibc.bind(descriptor, $0, $1) }
        let code = errno
        umask(mask)
        guard bound == 0, listen(descriptor, 4096) == 0 else {
            let reason = bound == 0 ? errno : code
            close(descriptor)
            throw SystemdError(code: reason, operation: "bind \(path)")
        }
        return descriptor
    }

    private static func make() throws(SystemdError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        return try SystemdError.checkErrno(SocketDescriptor.open(family: AF_UNIX, type: type), "make a socket")
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
