// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Systemd
import TokendProtocol

/// The further sockets of `config.json5`: creates, keeps and removes them as the settings say.
@LoopActor final class NarrowSockets {
    private struct Open {
        let view: SocketView
        let made: MainSocket
        let server: SocketServer
        var end: (any ScheduledTimer)?
    }

    /// The loop is blocked meanwhile, and all clients with it.
    private static let patience: Duration = .milliseconds(50)
    private let loop: EventLoop
    private let router: RequestRouter
    private let clock: any Clock
    private let runtimeFolder: String?
    private var open: [String: Open] = [:]

    init(loop: EventLoop, router: RequestRouter, clock: any Clock, environment: [String: String]) {
        self.loop = loop
        self.router = router
        self.clock = clock
        let standard = "/run/user/\(getuid())"
        runtimeFolder = environment["XDG_RUNTIME_DIR"].nonEmpty ?? (access(standard, W_OK) == 0 ? standard : nil)
    }

    /// Applies the broker's settings, and reports to it which sockets could not be opened.
    func adopt(from broker: Broker) {
        broker.note(closedSockets: adopt(broker.configuration.daemon.sockets))
    }

    /// Closes sockets that are no longer configured, or changed, with their clients; and those whose file is gone.
    ///
    /// - Returns: why sockets are not open, by their names.
    private func adopt(_ wanted: [NarrowSocket]) -> [String: String] {
        let now = clock.now.wall
        let due = wanted.filter { $0.until.map { $0 > now } ?? true }
        for (name, socket) in open where !due.contains(socket.view.socket) || !socket.made.isThere { close(name) }
        var reasons: [String: String] = [:]
        for socket in due where open[socket.name] == nil {
            do throws(StartFailure) {
                try make(socket, among: due.count)
            } catch {
                reasons[socket.name] = error.message
            }
        }
        router.openSockets = open.values.map(\.view).sorted { $0.socket.name < $1.socket.name }
        return reasons
    }

    /// Sends an event to the subscribers that see it.
    func publish(_ event: EventMessage, _ line: [UInt8]) {
        for socket in open.values { socket.server.publish(event, line) }
    }

    /// Clients that wait for an answer, or have not read it yet.
    var busyCount: Int { open.values.reduce(0) { $0 + $1.server.busyCount } }

    /// Accepts no new clients.
    func stopAccepting() {
        for socket in open.values { socket.server.stopAccepting() }
    }

    func closeAll() {
        for name in Array(open.keys) { close(name) }
    }

    private func make(_ socket: NarrowSocket, among count: Int) throws(StartFailure) {
        let path = try path(of: socket)
        let made = try MainSocket.make(path: path, mode: socket.mode, patience: Self.patience)
        var limits = SessionLimits()
        limits.clients = SessionLimits.furtherClients(sockets: count)
        limits.together /= 8
        limits.subscribers /= 8
        let view = SocketView(socket, path: path)
        do {
            let server = try SocketServer(
                loop: loop,
                clock: clock,
                listener: made.descriptor,
                limits: limits,
                handler: router,
                view: view
            )
            open[socket.name] = Open(view: view, made: made, server: server, end: end(of: socket))
        } catch {
            made.remove()
            throw StartFailure(code: 71, message: error.message)
        }
    }

    private func path(of socket: NarrowSocket) throws(StartFailure) -> String {
        guard socket.path.hasPrefix("%t/") else { return socket.path }
        guard let runtimeFolder else {
            throw StartFailure(code: 78, message: "there is no runtime folder for %t: $XDG_RUNTIME_DIR is not set")
        }
        return runtimeFolder + socket.path.dropFirst(2)
    }

    /// Requests check the end themselves; the timer removes the socket.
    private func end(of socket: NarrowSocket) -> (any ScheduledTimer)? {
        guard let until = socket.until else { return nil }
        let now = clock.now
        let instant = now.boot.advanced(by: .seconds(max(0, until - now.wall)))
        return clock.schedule(at: instant, accuracy: .seconds(1)) { [weak self] in
            self?.close(socket.name)
            self?.router.openSockets.removeAll { $0.socket.name == socket.name }
        }
    }

    private func close(_ name: String) {
        guard let socket = open.removeValue(forKey: name) else { return }
        socket.end?.cancel()
        socket.server.stopAccepting()
        socket.made.remove()
        socket.server.closeAll()
    }
}
