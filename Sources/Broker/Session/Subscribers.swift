// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TokendProtocol

/// Tells the subscribers of one socket of events, each of all and in order, and lets others be served in between: who an
/// event is for is looked up for each of them anew.
@LoopActor final class Subscribers {
    /// An event, and who is still to be told of it.
    struct Delivery {
        let event: EventMessage
        let line: [UInt8]
        var remaining: ArraySlice<ClientSession>
    }

    /// Who has not been told of the event before so many others has fallen behind.
    private static let mostWaiting = 256
    private let loop: EventLoop
    private let turn: Duration
    private let handler: any RequestHandler
    /// Who subscribed first is first.
    private(set) var sessions: [ClientSession] = []
    /// What is still to be told, oldest first.
    private(set) var deliveries: [Delivery] = []
    private var later: EventSource?
    private var isTelling = false

    /// - Parameter turn: how long others wait at most.
    init(loop: EventLoop, turn: Duration, handler: any RequestHandler) {
        self.loop = loop
        self.turn = turn
        self.handler = handler
    }

    func add(_ session: ClientSession) {
        sessions.append(session)
    }

    func remove(_ session: ClientSession) {
        sessions.removeAll { $0 === session }
    }

    /// Tells of an event: as many as can be told in a turn at once, the others after those who are ready to be served.
    func tell(_ event: EventMessage, _ line: [UInt8]) {
        guard !sessions.isEmpty else { return }
        deliveries.append(Delivery(event: event, line: line, remaining: sessions[...]))
        if deliveries.count > Self.mostWaiting {
            for session in deliveries.removeFirst().remaining { session.close() }
        }
        if later == nil { goOn() }
    }

    private func goOn() {
        // Whoever is closed for not reading may be the reason of another event.
        guard !isTelling else { return }
        isTelling = true
        defer { isTelling = false }
        let end = BootInstant.now.advanced(by: turn)
        while let delivery = deliveries.first {
            guard let session = delivery.remaining.first else {
                deliveries.removeFirst()
                continue
            }
            deliveries[0].remaining = delivery.remaining.dropFirst()
            if session.isSubscribed, handler.shows(delivery.event, to: session) { session.send(event: delivery.line) }
            guard BootInstant.now < end else { break }
        }
        guard !deliveries.isEmpty else { return }
        later = loop.addDefer { [weak self] in
            self?.later = nil
            self?.goOn()
        }
    }
}
