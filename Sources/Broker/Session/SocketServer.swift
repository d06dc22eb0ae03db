// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
package import Systemd

/// Accepts clients on the main socket and keeps what they share.
@LoopActor package final class SocketServer {
    package let loop: EventLoop
    package let limits: SessionLimits
    package let handler: any RequestHandler
    /// Lines taken since the start.
    package internal(set) var requestCount = 0
    private let listener: Int32
    private var source: EventSource?
    private var sessions: [ObjectIdentifier: ClientSession] = [:]
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    private var retry: EventSource?
    private let uid = geteuid()

    /// - Parameter listener: a listening stream socket; the server keeps it open and does not close it.
    package init(
        loop: EventLoop,
        listener: Int32,
        limits: SessionLimits = SessionLimits(),
        handler: any RequestHandler
    ) throws(SystemdError) {
        self.loop = loop
        self.listener = listener
        self.limits = limits
        self.handler = handler
        let flags = fcntl(listener, F_GETFL)
        _ = fcntl(listener, F_SETFL, flags | O_NONBLOCK)
        source = try loop.addDescriptor(listener, events: .readable) { [unowned self] _ in accept() }
    }

    /// How many clients are connected.
    package var clientCount: Int { sessions.count }

    /// Clients that wait for an answer, or have not read it yet.
    package var busyCount: Int { sessions.values.count { $0.isBusy } }

    /// Takes no new clients any more.
    package func stopAccepting() {
        source?.cancel()
        source = nil
        retry?.cancel()
        retry = nil
    }

    /// Closes every connection.
    package func closeAll() {
        for session in Array(sessions.values) { session.close() }
    }

    /// Sends one event line to every subscriber.
    package func publish(_ line: [UInt8]) {
        for session in Array(sessions.values) where session.isSubscribed { session.send(event: line) }
    }

    private func accept() {
        let descriptor: Int32
        do {
            descriptor = try UnixSocket.accept(listener)
        } catch {
            if error.code != EAGAIN { pause() }
            return
        }
        do throws(SystemdError) {
            let peer = try UnixSocket.credentials(of: descriptor)
            guard peer.uid == uid else {
                close(descriptor)
                return
            }
            let session = try ClientSession(descriptor: descriptor, peer: peer, server: self)
            sessions[ObjectIdentifier(session)] = session
        } catch {
            close(descriptor)
        }
    }

    /// Out of descriptors: new clients wait in the backlog for a second instead of spinning the loop.
    private func pause() {
        source?.events = []
        retry = loop.addTimer(at: loop.bootTime.advanced(by: .seconds(1)), accuracy: .milliseconds(100)) {
            [unowned self] in source?.events = .readable
        }
    }

    /// Reads once into the shared buffer.
    func read(from descriptor: Int32, _ body: (UnsafeRawBufferPointer) -> Void) -> Int {
        buffer.withUnsafeMutableBytes { bytes in
            let count = recv(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
            if count > 0 { body(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
            return count
        }
    }

    /// Drops the largest half-read line where all of them together are too much.
    func checkHalfLines() {
        guard sessions.count * limits.line > limits.halfLines else { return }
        var total = sessions.values.reduce(0) { $0 + $1.halfLineByteCount }
        while total > limits.halfLines,
            let largest = sessions.values.max(by: { $0.halfLineByteCount < $1.halfLineByteCount })
        {
            total -= largest.halfLineByteCount
            largest.close()
        }
    }

    func forget(_ session: ClientSession) {
        sessions[ObjectIdentifier(session)] = nil
    }
}
