// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
package import Systemd
package import TokendProtocol

/// Accepts clients on one socket and keeps what they share.
@LoopActor package final class SocketServer {
    package let loop: EventLoop
    package let limits: SessionLimits
    package let handler: any RequestHandler
    /// Lines taken since the start.
    package internal(set) var requestCount = 0
    private let listener: Int32
    /// The clients that are taken connected before the kernel was asked to say who writes.
    private var isBacklog = true
    private var source: EventSource?
    private var sessions: [ObjectIdentifier: ClientSession] = [:]
    /// How many clients each process is.
    private var places: [Int32: Int] = [:]
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    private var retry: EventSource?
    /// Descriptors may be short.
    private var isScarce = false
    private var margin: Int { min(64, limits.descriptors / 8) }
    /// For a look at who asks, on the main socket.
    private let lookout: DescriptorReserve?
    /// Clients that have had their turn and have lines left, who waits longest first.
    private var turns: [ClientSession] = []
    private var turn: EventSource?
    /// What its clients see; nil on the main socket: all.
    package let view: SocketView?
    private let uids: Set<UInt32>
    /// Who hears of events.
    let subscribers: Subscribers
    /// What is kept for all clients together, in bytes.
    private(set) var keptBytes = 0
    /// What clients' patience is measured with.
    let clock: any Clock

    /// - Parameters:
    ///   - clock: what the time that a client gets is measured with.
    ///   - listener: a listening stream socket; the server keeps it open and does not close it.
    ///   - uid: whose clients are served where the view names none; any other's connection is closed without a byte.
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

    /// How many clients are connected.
    package var clientCount: Int { sessions.count }

    /// Clients that wait for an answer, or have not read it yet.
    package var busyCount: Int { sessions.values.count { $0.isBusy } }

    /// Whether a client is connected that puts questions to a user.
    var hasAnsweringClient: Bool {
        subscribers.sessions.contains { $0.confirmsQuestions && $0.identity().isOutsideSandboxes }
    }

    /// Takes no new clients any more.
    package func stopAccepting() {
        source?.cancel()
        source = nil
        retry?.cancel()
        retry = nil
    }

    /// Closes every connection; no turn is waited for any more.
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
        // The kernel gives the lowest number that is free.
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

    /// The last places are reserved for programs outside sandboxes that hold less than half of all connections. So neither
    /// a sandboxed program nor one that leaks connections keeps the user's own tools out.
    private func mayTakeAPlace(_ session: ClientSession) -> Bool {
        guard view == nil, sessions.count >= limits.clients - limits.reserved else { return true }
        return places[session.peer.pid, default: 0] < limits.clients / 2 && session.identity().isOutsideSandboxes
    }

    /// Whether a client may hear of events. The last seats of the main socket are kept like the last places.
    func mayTakeASeat(_ session: ClientSession) -> Bool {
        let taken = subscribers.sessions
        guard taken.count < limits.subscribers else { return false }
        guard view == nil, taken.count >= limits.subscribers / 2 else { return true }
        let own = taken.count { $0.peer.pid == session.peer.pid }
        return own < limits.subscribers / 4 && session.identity().isOutsideSandboxes
    }

    /// Whether a client can be taken without one of the last descriptors, which the daemon needs to serve those that are
    /// there.
    private func hasRoom() -> Bool {
        guard isScarce || DescriptorReserve.isAnyLent else { return true }
        isScarce = !DescriptorReserve.areFree(margin)
        return !isScarce || DescriptorReserve.areFree(margin / 2)
    }

    /// Inspects the peer, with reserved descriptors if none are free: cancelling a sign-in that waits returns some.
    func look(_ body: () -> PeerIdentity) -> PeerIdentity {
        let identity = body()
        guard case .unknown(_, .exhausted) = identity else { return identity }
        return lookout?.lend(atLeast: 3, body) ?? identity
    }

    /// Whether another client waits to be taken.
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

    /// What one read brought.
    enum Input {
        /// Whether one read took less than there was: there may be more.
        case bytes(mayHaveMore: Bool)
        case nothing
        /// The client has shut its writing side.
        case end
        case broken
    }

    /// Reads once into the shared buffer; `body` gets the bytes and the process that wrote them, twice where another
    /// process wrote the next ones.
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

    /// Gives a client another turn, once everyone who is ready now has had one.
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
            // One that has left meanwhile has nothing more to do.
            turns.removeFirst().goOn()
            expectTurn()
        }
    }

    /// Takes note of what is kept for a client, and lets go of the one with most where all of them together are too much.
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
