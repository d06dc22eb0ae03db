// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A TCP port at 127.0.0.1 that was free a moment ago, for programs that cannot choose one themselves.
package enum FreePort {
    /// The port; another program may take it before it is used.
    package static func find() throws -> UInt16 {
        let server = try ByteServer { _, _ in false }
        server.stop()
        return server.port
    }
}
