// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
package import Systemd
import TokendProtocol

/// One client's connection: lines in, lines out, and the limits that protect the other clients from it.
///
/// A request that can be answered from a held token is answered inside the socket's callback: one wait, one read, one
/// write, no task.
@LoopActor package final class ClientSession {
    /// Watched while the client may send.
    private static let input: DescriptorEvents = [.readable, .readHangUp, .onEdge]
    /// The process on the other end.
    var connected: ConnectedPeer
    /// Its restrictions; nil: none.
    var view: SocketView? { server.view }
    /// Whether this client wants events.
    package internal(set) var isSubscribed = false
    /// Whether it shows questions to a user.
    var confirmsQuestions = false
    let server: SocketServer
    private let limits: SessionLimits
    private var descriptor: Int32
    private var source: EventSource?
    private var framer: LineFramer
    private var output = OutputBuffer()
    private var order = ReplyOrder()
    private var pending: [ObjectIdentifier: PendingReply] = [:]
    private var isAdvancing = false
    private var isInputOver = false
    /// The events that the source watches for, so that it is only called for changes.
    private var watched = ClientSession.input
    /// The last read left bytes in the socket, for which there is no further edge.
    private var mayHaveMoreInput = false
    /// Its turn is over with lines left: other clients come first.
    private var isTurnOver = false
    /// A line was over the limit: input is discarded until the connection is closed.
    private var isDiscarding = false
    /// Ends the discarding.
    private var discardingEnd: (any ScheduledTimer)?
    /// Closes the connection of a client that has too much unread.
    private var unreadEnd: (any ScheduledTimer)?
    var tally = ServingTally()
    /// The total weight of the requests under way.
    private var weight = 0
    /// The client's share of the server's byte count.
    private(set) var countedBytes = 0

    init(descriptor: Int32, peer: UnixSocket.Credentials, server: SocketServer) throws(SystemdError) {
        self.descriptor = descriptor
        connected = ConnectedPeer(peer)
        self.server = server
        limits = server.limits
        framer = LineFramer(limit: server.limits.line)
        source = try server.loop.addDescriptor(descriptor, events: watched) { [unowned self] events in
            ready(events)
        }
        if server.handler.asksForPrograms { connected.noteProgram(on: descriptor) }
    }

    /// Who connected.
    package var peer: UnixSocket.Credentials { connected.credentials }

    /// Who is asking, looked at anew; for a policy with the program that has called `tokenctl`.
    package func identity(withCaller: Bool = false) -> PeerIdentity {
        server.look { connected.identity(on: descriptor, withCaller: withCaller) }
    }

    // MARK: In

    private func ready(_ events: DescriptorEvents) {
        if events.contains(.writable) { advance() }
        guard descriptor >= 0 else { return }
        let isGone = events.contains(.hangUp) || events.contains(.error)
        if canRead, events.contains(.readable) || isGone {
            read(untilEnd: isGone || events.contains(.readHangUp))
        } else if isGone, !isTurnOver {
            // The client is gone: unread bytes would wait for ever.
            close()
        }
    }

    private var canRead: Bool { descriptor >= 0 && !isInputOver && (canTakeMore || isDiscarding) }

    /// Reads once, or until the end if the client has closed its side.
    private func read(untilEnd: Bool) {
        repeat {
            switch server.read(from: descriptor, { accept($0, from: $1) }) {
            case .bytes(let mayHaveMore):
                mayHaveMoreInput = mayHaveMore
                advance()
            case .end:
                isInputOver = true
                advance()
            case .nothing:
                return
            case .broken:
                close()
            }
        } while untilEnd && canRead
    }

    private func accept(_ bytes: UnsafeRawBufferPointer, from sender: Int32) {
        // Earlier bytes are still from the process that connected.
        if !connected.isFromPeer(sender) { advance() }
        guard descriptor >= 0 else { return }
        connected.noteSender(sender)
        let rest = framer.pendingByteCount == 0 ? answerReady(bytes) : bytes
        if !rest.isEmpty { framer.append(rest) }
    }

    /// Answers the lines with ready replies directly from the read buffer.
    ///
    /// - Returns: the bytes from the first other line on.
    private func answerReady(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var rest = bytes
        while canTakeMore, let start = rest.baseAddress, let end = memchr(start, Int32(UInt8(ascii: "\n")), rest.count)
        {
            let line = UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start)
            guard let reply = server.handler.readyReply(to: line, from: self) else { break }
            server.requestCount += 1
            output.append(reply)
            rest = UnsafeRawBufferPointer(rebasing: rest[(line.count + 1)...])
        }
        return rest
    }

    /// Reports to the server what is kept for this client: unprocessed lines, requests under way, unread replies.
    private func countBytes() {
        let bytes = framer.pendingByteCount + weight + output.count
        guard bytes != countedBytes else { return }
        let difference = bytes - countedBytes
        countedBytes = bytes
        server.count(difference)
    }

    private var canTakeMore: Bool {
        descriptor >= 0 && !isDiscarding && !isTurnOver && pending.count < limits.inFlight
            && weight < limits.underWay && output.count < limits.unread
    }

    /// Processes lines for one turn.
    ///
    /// - Returns: whether there was one.
    private func takeLines() -> Bool {
        guard framer.pendingByteCount > 0, canTakeMore else { return false }
        let end = BootInstant.now.advanced(by: limits.turn)
        var hasTaken = false
        while framer.pendingByteCount > 0, canTakeMore, let line = framer.next() {
            hasTaken = true
            switch line {
            case .line(let bytes): take(bytes)
            case .overlong: refuseOverlong()
            }
            if descriptor >= 0, framer.pendingByteCount > 0, BootInstant.now >= end {
                isTurnOver = true
                server.goOnLater(self)
            }
        }
        return hasTaken
    }

    /// Starts its next turn.
    func goOn() {
        isTurnOver = false
        advance()
    }

    private func take(_ line: [UInt8]) {
        server.requestCount += 1
        let request: RequestMessage
        do {
            request = try RequestMessage(line: line)
        } catch {
            guard let line = error.reply() else { return }
            emit(line, at: error.form == .plain && error.id == nil ? order.take() : nil)
            return
        }
        let place = request.form == .plain && request.id == nil ? order.take() : nil
        switch server.handler.handle(request, from: self) {
        case .reply(let line):
            emit(line, at: place)
        case .later(let start):
            let weight = line.count + SessionLimits.requestWeight
            let reply = PendingReply(request: request, weight: weight, place: place, session: self)
            pending[ObjectIdentifier(reply)] = reply
            self.weight += weight
            start(reply)
        }
    }

    /// Discards input for a moment, so that the client can read the answer before the connection is closed.
    private func refuseOverlong() {
        let error = ProtocolError(
            .invalidRequest,
            "the line is longer than \(limits.line) bytes; the connection is closed"
        )
        emit(ReplyMessage.error(error, form: .jsonRPC, id: nil), at: nil)
        isDiscarding = true
        discardingEnd = closing(after: limits.overlongPatience)
    }

    // MARK: Out

    /// Sends an event line to a subscriber, and closes one that has fallen behind.
    package func send(event line: [UInt8]) {
        guard descriptor >= 0 else { return }
        output.append(line)
        advance()
        if output.count > limits.unread { close() }
    }

    func settle(_ reply: PendingReply, with line: [UInt8]) {
        guard pending.removeValue(forKey: ObjectIdentifier(reply)) != nil else { return }
        weight -= reply.weight
        emit(line, at: reply.place)
        advance()
    }

    private func emit(_ line: [UInt8], at place: Int?) {
        guard let place else {
            output.append(line)
            return
        }
        for line in order.fill(place, with: line) { output.append(line) }
    }

    /// Sends and processes as much as possible, until the client must act.
    ///
    /// A reply that is made while a line is processed only joins the output, so that a thousand immediate answers do
    /// not nest.
    private func advance() {
        guard descriptor >= 0, !isAdvancing else { return }
        isAdvancing = true
        var hasMoved = false
        repeat {
            switch output.send(to: descriptor) {
            case .moved(let moved): hasMoved = hasMoved || moved
            case .broken: close()
            }
        } while takeLines()
        isAdvancing = false
        guard descriptor >= 0 else { return }
        if isInputOver, !isTurnOver, pending.isEmpty, output.isEmpty {
            close()
        } else {
            watch(hasMoved: hasMoved)
            countBytes()
        }
    }

    /// Waits for the client's next action. A client with too much unread is closed after a while.
    private func watch(hasMoved: Bool) {
        if output.count < limits.unread {
            unreadEnd?.cancel()
            unreadEnd = nil
        } else if unreadEnd == nil || hasMoved {
            unreadEnd?.cancel()
            unreadEnd = closing(after: limits.unreadPatience)
        }
        var wanted = canRead ? Self.input : .onEdge
        if !output.isEmpty { wanted.insert(.writable) }
        guard wanted != watched || mayHaveMoreInput else { return }
        watched = wanted
        mayHaveMoreInput = false
        source?.events = wanted
    }

    private func closing(after patience: Duration) -> any ScheduledTimer {
        let end = server.clock.now.boot.advanced(by: patience)
        return server.clock.schedule(at: end, accuracy: .milliseconds(100)) { [weak self] in self?.close() }
    }

    // MARK: End

    /// Closes the connection; its waits end, a refresh under way does not.
    func close() {
        guard descriptor >= 0 else { return }
        source?.cancel()
        source = nil
        discardingEnd?.cancel()
        discardingEnd = nil
        unreadEnd?.cancel()
        unreadEnd = nil
        Glibc.close(descriptor)
        descriptor = -1
        let owed = pending.values
        pending = [:]
        for reply in owed { reply.abandon() }
        server.forget(self)
        server.handler.ended(self)
    }

    /// Whether answers are pending or not yet read.
    var isBusy: Bool { !pending.isEmpty || !output.isEmpty || isTurnOver }
}
