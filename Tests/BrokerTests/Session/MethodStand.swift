// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd

@testable import Broker

/// A broker in a world in memory, behind its router and a real socket.
@LoopActor final class MethodStand {
    let world: World
    let router: RequestRouter
    let server: SocketServer
    private let path: String
    private let listener: Int32

    init(_ world: World) throws {
        self.world = world
        var template = Array("/tmp/tokend-test.XXXXXX".utf8CString)
        guard let folder = mkdtemp(&template) else { throw SystemdError(code: errno, operation: "make a folder") }
        path = String(cString: folder) + "/socket"
        listener = try UnixSocketListener.bind(path)
        router = RequestRouter(
            broker: world.broker,
            identity: .init(version: "0", pid: 1, startedAt: world.clock.now.wall, socket: path)
        )
        server = try SocketServer(loop: .main, clock: world.clock, listener: listener, handler: router)
        router.server = server
    }

    func client() throws -> MethodClient {
        try MethodClient(path: path)
    }

    func end() {
        server.stopAccepting()
        server.closeAll()
        close(listener)
        unlink(path)
        rmdir(String(path.dropLast(7)))
    }
}
