// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
package import Systemd
package import TokendProtocol

/// A pending reply: made when a request cannot be answered at once, and answered exactly once.
@LoopActor package final class PendingReply {
    /// What is answered; its parameters, which may be long, are not kept.
    package let request: RequestMessage
    /// What it counts for among what all clients make the daemon keep, in bytes.
    let weight: Int
    /// Who asked; nil once it was answered, or the client is gone.
    package private(set) weak var session: ClientSession?
    /// Its place among the plain requests without an id; nil for all others.
    let place: Int?
    /// Called when nobody waits any more before there was an answer: the client went away, or its time ran out.
    package var onAbandon: (@LoopActor () -> Void)?
    private var timer: (any ScheduledTimer)?

    init(request: RequestMessage, weight: Int, place: Int?, session: ClientSession) {
        self.request = request.with(params: [:])
        self.weight = weight
        self.place = place
        self.session = session
    }

    /// Whether somebody still waits.
    package var isOpen: Bool { session != nil }

    /// Answers with a `timeout` error unless something else does before.
    ///
    /// - Parameter seconds: from now.
    package func expire(after seconds: Int64, clock: any Clock, message: String) {
        timer = clock.schedule(at: clock.now.boot.advanced(by: .seconds(seconds)), accuracy: .milliseconds(200)) {
            [weak self] in self?.timeOut(ProtocolError(.timeout, message))
        }
    }

    private func timeOut(_ error: ProtocolError) {
        let action = onAbandon
        fail(error)
        action?()
    }

    /// Answers; later calls do nothing, since a wait and its end in time may come in the same turn.
    package func succeed(_ result: some MethodResult) {
        answer(request.isNotification ? [] : ReplyMessage.result(result, to: request))
    }

    /// Answers with an error; later calls do nothing.
    package func fail(_ error: ProtocolError) {
        answer(request.isNotification ? [] : ReplyMessage.error(error, to: request))
    }

    private func answer(_ line: [UInt8]) {
        timer?.cancel()
        timer = nil
        onAbandon = nil
        guard let session else { return }
        self.session = nil
        session.settle(self, with: line)
    }

    func abandon() {
        timer?.cancel()
        timer = nil
        session = nil
        let action = onAbandon
        onAbandon = nil
        action?()
    }
}
