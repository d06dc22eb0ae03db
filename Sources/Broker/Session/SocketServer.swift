// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
package import Systemd
package import TokendProtocol

/// Accepts clients on one socket and holds their shared state.
@LoopActor package final class SocketServer {
    package let loop: EventLoop
    package let limits: SessionLimits
    package let handler: any RequestHandler
    /// Lines processed since the start.
    package internal(set) var requestCount = 0
    private let listener: Int32
    /// Clients accepted now connected before SO_PASSCRED was set.
    private var isBacklog = true
    private var source: EventSource?
    private var sessions: [ObjectIdentifier: ClientSession] = [:]
    /// The number of connections of each process.
    private var places: [Int32: Int] = [:]
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    private var retry: EventSource?
    /// Descriptors may be short.
    private var isScarce = false
    private var margin: Int { min(64, limits.descriptors / 8) }
    /// Reserved for inspecting clients of the main socket.
    private let lookout: DescriptorReserve?
    /// Clients that have had their turn and have lines left, the longest waiting first.
    private var turns: [ClientSession] = []
    private var turn: EventSource?
    /// Its clients' restrictions; nil on the main socket: none.
    package let view: SocketView?
    private let uids: Set<UInt32>
    /// The subscribers to events.
    let subscribers: Subscribers
    /// Bytes kept for all clients together.
    private(set) var keptBytes = 0
    /// Measures clients' timeouts.
    let clock: any Clock

    /// - Parameters:
    ///   - clock: measures clients' turns and timeouts.
    ///   - listener: a listening stream socket; the server uses it and does not close it.
    ///   - uid: the user whose clients are served if the restrictions name none; other users' connections are closed
    ///     without a byte.
    package init(
        loop: EventLoop,
        clock: any Clock,
        listener: Int32,
        limits: SessionLimits = SessionLimits(),
        handler: any RequestHandler,
        uid: UInt32 = geteuid(),
        view: SocketView? = nil
    ) throws(SystemdError) {
        self.loop = loop
        self.clock = clock
        self.view = view
        let named = view?.socket.uids ?? []
        uids = named.isEmpty ? [uid] : named
        self.listener = listener
        self.limits = limits
        self.handler = handler
        lookout = view == nil ? DescriptorReserve(4) : nil
        subscribers = Subscribers(loop: loop, turn: limits.turn, handler: handler)
        try UnixSocket.passCredentials(listener)
        let flags = fcntl(listener, F_GETFL)
        _ = fcntl(listener, F_SETFL, flags | O_NONBLOCK)
        source = try loop.addDescriptor(listener, events: .readable) { [unowned self] _ in accept() }
    }

    /// The number of connected clients.
    package var clientCount: Int { sessions.count }

    /// Clients that wait for an answer, or have not read it yet.
    package var busyCount: Int { sessions.values.count { $0.isBusy } }

    /// Whether a client is connected that shows questions to a user.
    var hasAnsweringClient: Bool {
        subscribers.sessions.contains { $0.confirmsQuestions && $0.identity().isOutsideSandboxes }
    }

    /// Accepts no new clients.
    package func stopAccepting() {
        source?.cancel()
        source = nil
        retry?.cancel()
        retry = nil
    }

    /// Closes every connection, and drops pending turns.
    package func closeAll() {
        for session in Array(sessions.values) { session.close() }
        turns = []
        turn?.cancel()
        turn = nil
    }

    /// Sends an event to every subscriber that sees its account.
    package func publish(_ event: EventMessage, _ line: [UInt8]) {
        if view?.shows(event) ?? true { subscribers.tell(event, line) }
    }

    private func accept() {
        guard sessions.count < limits.clients, hasRoom() else { return pause() }
        let descriptor: Int32
        do {
            descriptor = try UnixSocket.accept(listener)
        } catch {
            guard error.code != EAGAIN else { return }
            isScarce = true
            return pause()
        }
        // The kernel assigns the lowest free number.
        if Int(descriptor) >= limits.descriptors - margin { isScarce = true }
        do throws(SystemdError) {
            let peer = try UnixSocket.credentials(of: descriptor)
            guard uids.contains(peer.uid) else {
                close(descriptor)
                return
            }
            let session = try ClientSession(descriptor: descriptor, peer: peer, server: self)
            session.connected.isFromBacklog = isBacklog
            guard mayTakeAPlace(session) else { return session.close() }
            sessions[ObjectIdentifier(session)] = session
            places[peer.pid, default: 0] += 1
            if isBacklog { isBacklog = isWaitedFor }
        } catch {
            close(descriptor)
        }
    }

    /// The last slots are reserved for programs outside sandboxes that hold less than half of all connections. So
    /// neither a sandboxed program nor one that leaks connections can lock out the user's own tools.
    private func mayTakeAPlace(_ session: ClientSession) -> Bool {
        guard view == nil, sessions.count >= limits.clients - limits.reserved else { return true }
        return places[session.peer.pid, default: 0] < limits.clients / 2 && session.identity().isOutsideSandboxes
    }

    /// Whether a client may subscribe. The last subscriptions on the main socket are reserved like the last slots.
    func mayTakeASeat(_ session: ClientSession) -> Bool {
        let taken = subscribers.sessions
        guard taken.count < limits.subscribers else { return false }
        guard view == nil, taken.count >= limits.subscribers / 2 else { return true }
        let own = taken.count { $0.peer.pid == session.peer.pid }
        return own < limits.subscribers / 4 && session.identity().isOutsideSandboxes
    }

    /// Whether a client can be accepted without using the last descriptors, which the daemon needs to serve the others.
    private func hasRoom() -> Bool {
        guard isScarce || DescriptorReserve.isAnyLent else { return true }
        isScarce = !DescriptorReserve.areFree(margin)
        return !isScarce || DescriptorReserve.areFree(margin / 2)
    }

    /// Inspects the peer, with reserved descriptors if none are free: cancelling a pending sign-in frees some.
    func look(_ body: () -> PeerIdentity) -> PeerIdentity {
        let identity = body()
        guard case .unknown(_, .exhausted) = identity else { return identity }
        return lookout?.lend(atLeast: 4, body) ?? identity
    }

    /// Whether another client waits to be accepted.
    private var isWaitedFor: Bool {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) == 1
    }

    /// Too many clients, or out of descriptors: new ones wait in the backlog for a second instead of spinning the loop.
    private func pause() {
        source?.events = []
        retry = loop.addTimer(at: loop.bootTime.advanced(by: .seconds(1)), accuracy: .milliseconds(100)) {
            [unowned self] in source?.events = .readable
        }
    }

    /// The result of one read.
    enum Input {
        /// Whether the read may have left bytes in the socket.
        case bytes(mayHaveMore: Bool)
        case nothing
        /// The client has shut its writing side.
        case end
        case broken
    }

    /// Reads once into the shared buffer; `body` gets the bytes and the process that wrote them, twice if another
    /// process wrote the later ones.
    func read(from descriptor: Int32, _ body: (UnsafeRawBufferPointer, Int32) -> Void) -> Input {
        buffer.withUnsafeMutableBytes { bytes in
            while true {
                var hasEnded = true
                let pieces = UnixSocket.receive(descriptor, into: bytes) { bytes, sender in
                    guard !bytes.isEmpty else { return }
                    hasEnded = false
                    body(bytes, sender)
                }
                let code = errno
                guard pieces < 0 else { return hasEnded ? .end : .bytes(mayHaveMore: pieces > 1) }
                guard code == EINTR else { return code == EAGAIN ? .nothing : .broken }
            }
        }
    }

    /// Schedules another turn for a client, after all that are ready now.
    func goOnLater(_ session: ClientSession) {
        turns.append(session)
        expectTurn()
    }

    /// Makes a new source each time: sd-event treats a re-armed source as pending since its creation, and dispatches it
    /// before all others.
    private func expectTurn() {
        guard turn == nil, !turns.isEmpty else { return }
        turn = loop.addDefer { [unowned self] in
            turn = nil
            guard !turns.isEmpty else { return }
            // Nothing happens if the client has left meanwhile.
            turns.removeFirst().goOn()
            expectTurn()
        }
    }

    /// Updates the total kept for all clients; above the limit, closes the client with most.
    func count(_ difference: Int) {
        keptBytes += difference
        while keptBytes > limits.together,
            let largest = sessions.values.max(by: { $0.countedBytes < $1.countedBytes })
        {
            largest.close()
        }
    }

    func forget(_ session: ClientSession) {
        guard sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
        keptBytes -= session.countedBytes
        if session.isSubscribed { subscribers.remove(session) }
        let left = (places[session.peer.pid] ?? 1) - 1
        places[session.peer.pid] = left > 0 ? left : nil
    }
}
