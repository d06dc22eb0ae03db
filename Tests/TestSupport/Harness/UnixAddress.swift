// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A socket address in the file system.
struct UnixAddress {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Calls `body` with the address; a path that is too long is cut, and the call that uses it fails.
    func use<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
