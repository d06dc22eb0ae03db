// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
package import Systemd
import TokendProtocol

/// One client's connection: lines in, lines out, and the limits that keep one client from hurting the others.
///
/// A request that can be answered from what is held is answered inside the socket's callback: one wait, one read, one
/// write, no task.
@LoopActor package final class ClientSession {
    /// Who is asking.
    package let peer: UnixSocket.Credentials
    /// Whether this client wants events.
    package private(set) var isSubscribed = false
    private let server: SocketServer
    private var descriptor: Int32
    private var source: EventSource?
    private var framer: LineFramer
    private var output = OutputBuffer()
    private var order = ReplyOrder()
    private var pending: [ObjectIdentifier: PendingReply] = [:]
    private var isInputOver = false
    /// A line was over the limit: what comes is read away until the connection is closed.
    private var isDiscarding = false
    private var deadline: EventSource?

    init(descriptor: Int32, peer: UnixSocket.Credentials, server: SocketServer) throws(SystemdError) {
        self.descriptor = descriptor
        self.peer = peer
        self.server = server
        framer = LineFramer(limit: server.limits.line)
        source = try server.loop.addDescriptor(descriptor, events: .readable) { [unowned self] events in
            ready(events)
        }
    }

    /// Bytes of a line that has not ended yet.
    var halfLineByteCount: Int { framer.pendingByteCount }

    // MARK: In

    private func ready(_ events: DescriptorEvents) {
        if events.contains(.writable) { flush() }
        guard descriptor >= 0, !isInputOver, events.contains(.readable) || events.contains(.hangUp) else {
            if events.contains(.error) || events.contains(.hangUp) { closeUnlessOwed() }
            return
        }
        let count = server.read(from: descriptor) { bytes in framer.append(bytes) }
        if count > 0 {
            takeLines()
            server.checkHalfLines()
        } else if count == 0 {
            isInputOver = true
            takeLines()
        } else if errno != EAGAIN && errno != EINTR {
            close()
        }
    }

    private func takeLines() {
        while descriptor >= 0, canTakeMore, let line = framer.next() {
            switch line {
            case .line(let bytes): take(bytes)
            case .overlong: refuseOverlong()
            }
        }
        flush()
    }

    private var canTakeMore: Bool {
        deadline == nil && pending.count < server.limits.inFlight && output.count < server.limits.unread
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
            let reply = PendingReply(request: request, place: place, session: self)
            pending[ObjectIdentifier(reply)] = reply
            start(reply)
        }
    }

    private func refuseOverlong() {
        let error = ProtocolError(.invalidRequest, "the line is longer than \(server.limits.line) bytes")
        emit(ReplyMessage.error(error, form: .jsonRPC, id: nil), at: nil)
        // What was sent is read away for a moment, so that the client gets to read the answer instead of a reset.
        flush()
        isDiscarding = true
        closeAfter(server.limits.overlongPatience)
    }

    // MARK: Out

    /// Sends an event line to a subscriber.
    package func send(event line: [UInt8]) {
        guard descriptor >= 0 else { return }
        output.append(line)
        flush()
        if output.count > server.limits.unread { close() }
    }

    package func subscribe() {
        isSubscribed = true
    }

    func settle(_ reply: PendingReply, with line: [UInt8]) {
        guard pending.removeValue(forKey: ObjectIdentifier(reply)) != nil else { return }
        emit(line, at: reply.place)
        takeLines()
    }

    private func emit(_ line: [UInt8], at place: Int?) {
        guard let place else {
            output.append(line)
            return
        }
        for line in order.fill(place, with: line) { output.append(line) }
    }

    private func flush() {
        guard descriptor >= 0 else { return }
        guard output.send(to: descriptor) else {
            close()
            return
        }
        if isInputOver, pending.isEmpty, output.isEmpty {
            close()
            return
        }
        watchReader()
        var wanted: DescriptorEvents = []
        if !isInputOver, canTakeMore || isDiscarding { wanted.insert(.readable) }
        if !output.isEmpty { wanted.insert(.writable) }
        if source?.events != wanted { source?.events = wanted }
    }

    /// A client that has too much unread is given a while, and then closed.
    private func watchReader() {
        if output.count >= server.limits.unread {
            if deadline == nil || output.hasProgressed { closeAfter(server.limits.unreadPatience) }
        } else if deadline != nil, !isDiscarding {
            deadline = nil
        }
    }

    private func closeAfter(_ patience: Duration) {
        deadline = server.loop.addTimer(
            at: server.loop.bootTime.advanced(by: patience),
            accuracy: .milliseconds(100)
        ) { [unowned self] in close() }
    }

    // MARK: End

    private func closeUnlessOwed() {
        if pending.isEmpty && output.isEmpty { close() } else if !isInputOver { isInputOver = true } else { close() }
    }

    /// Closes the connection; waits of this client end, a refresh under way does not.
    func close() {
        guard descriptor >= 0 else { return }
        source?.cancel()
        source = nil
        deadline?.cancel()
        deadline = nil
        Glibc.close(descriptor)
        descriptor = -1
        let owed = pending.values
        pending = [:]
        for reply in owed { reply.abandon() }
        server.forget(self)
    }

    /// Whether answers are owed or not yet read.
    var isBusy: Bool { !pending.isEmpty || !output.isEmpty }
}
