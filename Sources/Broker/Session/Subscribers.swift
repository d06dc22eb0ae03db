// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TokendProtocol

/// Delivers events to the subscribers of one socket, all events to each and in order, and lets other clients be served
/// in between, since each delivery checks the subscriber's rights.
@LoopActor final class Subscribers {
    /// An event, and the subscribers that have yet to get it.
    struct Delivery {
        let event: EventMessage
        let line: [UInt8]
        var remaining: ArraySlice<ClientSession>
    }

    /// A subscriber that lags by more events than this is closed.
    private static let mostWaiting = 256
    private let loop: EventLoop
    private let turn: Duration
    private let handler: any RequestHandler
    /// In the order of subscription.
    private(set) var sessions: [ClientSession] = []
    /// Pending deliveries, oldest first.
    private(set) var deliveries: [Delivery] = []
    private var later: EventSource?
    private var isTelling = false

    /// - Parameter turn: the longest delay for other clients.
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

    /// Delivers an event: to as many subscribers as fit in a turn at once, to the others after the clients that are
    /// ready.
    func tell(_ event: EventMessage, _ line: [UInt8]) {
        guard !sessions.isEmpty else { return }
        deliveries.append(Delivery(event: event, line: line, remaining: sessions[...]))
        if deliveries.count > Self.mostWaiting {
            for session in deliveries.removeFirst().remaining { session.close() }
        }
        if later == nil { goOn() }
    }

    private func goOn() {
        // Closing a subscriber that does not read may cause another event.
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
