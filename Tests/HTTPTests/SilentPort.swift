// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TestSupport

/// A port of 127.0.0.1 whose connections the kernel takes and nobody ever answers.
final class SilentPort: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        // Without a name, `listen` binds to a free port of every address, 127.0.0.1 among them.
        guard listen(descriptor, 8) == 0 else { throw SystemCallError("listen") }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let named = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard named == 0 else { throw SystemCallError("getsockname") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
