// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A socket that is bound to a path, which goes with it.
final class BoundSocket {
    let descriptor: Int32
    private let path: String

    init(_ type: __socket_type, at path: String) {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(type.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Waits for one datagram.
    func receive() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
    }
}

/// The service manager's end of `NOTIFY_SOCKET`, which is set for this process.
struct NotifySocket {
    private let folder: TemporaryFolder
    private let socket: BoundSocket
    var descriptor: Int32 { socket.descriptor }

    init() throws {
        folder = try TemporaryFolder()
        socket = BoundSocket(SOCK_DGRAM, at: folder.path + "/notify")
        setenv("NOTIFY_SOCKET", folder.path + "/notify", 1)
    }

    /// Waits for one message.
    func receive() -> String {
        socket.receive()
    }
}
