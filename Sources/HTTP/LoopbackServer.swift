// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CMicroHTTPD
import Glibc
import Systemd

/// One libmicrohttpd daemon on one listening socket, on the loop. Loop's thread only.
///
/// The daemon has no thread; the loop watches its epoll descriptor and its next timeout. It runs in `goRound` alone and
/// is stopped outside of it only, so never inside one of its own callbacks.
final class LoopbackServer {
    /// Connections that are served at the same time, with or without a complete request; further ones wait in the
    /// kernel.
    private static let connectionLimit: UInt32 = 64
    /// Seconds without a byte after which a connection is closed.
    private static let idleSeconds: UInt32 = 10
    /// Bytes for a connection's buffers, half of them for the headers; libmicrohttpd refuses larger ones, and the
    /// browser gets no answer. A browser sends every cookie that any program on this machine's loopback has set,
    /// whatever its port: dozens of 4 KiB each on a web developer's machine. Unused memory is never touched.
    private static let memoryLimit = 512 << 10

    private let loop: EventLoop
    private let exchanges: ListenerExchanges
    private var daemon: OpaquePointer?
    /// The listening socket while the daemon accepts connections.
    private var listening: Int32?
    private var readiness: EventSource?
    private var timeout: EventSource?
    private var soon: EventSource?
    private var admission: ListenerAdmission<OpaquePointer>
    private var lateness: EventSource?
    private var grace: EventSource?
    /// The daemon is running, possibly in its callbacks.
    private var isInRound = false
    /// Keeps this object alive while answers are pending.
    private var kept: LoopbackServer?

    /// Starts one server per socket, all or none, and takes ownership of the sockets.
    static func start(
        _ sockets: [LoopbackSocket],
        loop: EventLoop,
        patience: Duration,
        whenRefused: @escaping ListenerAudience.Refusal,
        handler: @escaping ListenerExchanges.Handler
    ) throws(ListenerError) -> [LoopbackServer] {
        var servers: [LoopbackServer] = []
        for (index, socket) in sockets.enumerated() {
            do {
                let audience = ListenerAudience(listener: socket.descriptor, whenRefused: whenRefused)
                let server = try LoopbackServer(socket, audience, loop: loop, patience: patience, handler: handler)
                servers.append(server)
            } catch {
                for unused in sockets[index...] { close(unused.descriptor) }
                throw error
            }
        }
        return servers
    }

    private init(
        _ socket: LoopbackSocket,
        _ audience: ListenerAudience,
        loop: EventLoop,
        patience: Duration,
        handler: @escaping ListenerExchanges.Handler
    ) throws(ListenerError) {
        let failure = ListenerError(
            code: .failed,
            message: "cannot serve \(socket.address.literal):\(socket.port): memory or descriptors are short",
            underlying: ENOMEM
        )
        self.loop = loop
        admission = ListenerAdmission(patience: patience)
        exchanges = ListenerExchanges(handler: handler)
        exchanges.admits = audience.admits
        var settings = tokend_mhd_settings()
        settings.listening_descriptor = socket.descriptor
        settings.connections = Self.connectionLimit
        settings.idle_seconds = Self.idleSeconds
        settings.memory_per_connection = Self.memoryLimit
        exchanges.install(in: &settings)
        guard let daemon = tokend_mhd_start(&settings) else { throw failure }
        do {
            readiness = try loop.addDescriptor(tokend_mhd_epoll_descriptor(daemon), events: .readable) {
                [weak self] _ in self?.goRound()
            }
        } catch {
            MHD_quiesce_daemon(daemon)
            MHD_stop_daemon(daemon)
            throw failure
        }
        self.daemon = daemon
        listening = socket.descriptor
        soon = loop.addDefer { [weak self] in self?.goRound() }
        exchanges.whenAnswered = { [weak self] in self?.soon?.rearm() }
        exchanges.whenBegun = { [weak self] connection in self?.begin(connection) }
        exchanges.whenWhole = { [weak self] connection in self?.admission.end(connection) }
    }

    deinit {
        stop()
    }

    /// Accepts no further connection, and stops when nothing is pending, or after `grace`. May be called in the handler.
    func finish(grace duration: Duration) {
        guard daemon != nil, grace == nil else { return }
        kept = self
        stopAccepting()
        grace = loop.addTimer(at: loop.bootTime.advanced(by: duration), accuracy: .milliseconds(100)) {
            [weak self] in self?.stop()
        }
        if isInRound {
            soon?.rearm()
        } else {
            goRound()
        }
    }

    /// Runs the daemon, and asks it for its next timeout.
    private func goRound() {
        guard let daemon else { return }
        isInRound = true
        repeat {
            // At its connection limit it stops watching the listening socket, and checks for room only at the beginning
            // of a run.
            exchanges.hasConnectionEnded = false
            MHD_run(daemon)
        } while exchanges.hasConnectionEnded
        isInRound = false
        if grace != nil, !exchanges.isAnyOwed { return stop() }
        var milliseconds: UInt64 = 0
        guard MHD_get_timeout(daemon, &milliseconds) == .YES else {
            timeout?.disarm()
            return
        }
        let instant = loop.bootTime.advanced(by: .milliseconds(Int64(clamping: milliseconds)))
        if let timeout {
            timeout.rearm(at: instant)
        } else {
            timeout = loop.addTimer(at: instant, accuracy: .milliseconds(1)) { [weak self] in self?.goRound() }
        }
    }

    /// A connection has started: sets its deadline, and closes the oldest incomplete one if there are too many.
    private func begin(_ connection: OpaquePointer) {
        if let oldest = admission.begin(connection, at: loop.bootTime) { Self.breakOff(oldest) }
        if lateness == nil { expectLateness() }
    }

    private func expectLateness() {
        guard let deadline = admission.nextDeadline else { return lateness = nil }
        lateness = loop.addTimer(at: deadline, accuracy: .milliseconds(100)) { [weak self] in
            guard let self else { return }
            for connection in admission.overdue(at: loop.bootTime) { Self.breakOff(connection) }
            expectLateness()
        }
    }

    /// The daemon then reads the connection's end, and closes it.
    private static func breakOff(_ connection: OpaquePointer) {
        shutdown(tokend_mhd_connection_descriptor(connection), Int32(SHUT_RDWR))
    }

    private func stopAccepting() {
        guard let daemon, let listening else { return }
        self.listening = nil
        MHD_quiesce_daemon(daemon)
        close(listening)
    }

    /// Ends everything at once: connections are closed, pending answers are dropped.
    private func stop() {
        guard let daemon else { return }
        self.daemon = nil
        readiness = nil
        timeout = nil
        lateness = nil
        soon = nil
        grace = nil
        exchanges.abandonAll()
        MHD_stop_daemon(daemon)
        kept = nil
    }
}
