// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A socket that several threads hold; it is closed with the last reference, so that its number never means another
/// socket to one of them.
final class Descriptor: Sendable {
    /// The descriptor, good for as long as this object is referenced.
    let number: Int32

    /// A new socket of that family and type; closed on exec.
    init(_ family: Int32, _ type: __socket_type) throws {
        number = socket(family, CInt(type.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SystemCallError("socket") }
    }

    deinit { close(number) }

    /// Ends both directions, which also wakes every thread that reads or accepts.
    func end() { shutdown(number, CInt(SHUT_RDWR)) }
}
