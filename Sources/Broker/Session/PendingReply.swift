// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
package import Systemd
package import TokendProtocol

/// A reply to a request that cannot be answered at once; answered exactly once.
@LoopActor package final class PendingReply {
    /// The request without its parameters, which may be long.
    package let request: RequestMessage
    /// Its share of the limit for all clients, in bytes.
    let weight: Int
    /// The client's session; nil once answered, or if the client is gone.
    package private(set) weak var session: ClientSession?
    /// Its position among the plain requests without an id; nil for all others.
    let place: Int?
    /// Called if the wait ends without an answer: the client left, or the timeout was reached.
    package var onAbandon: (@LoopActor () -> Void)?
    private var timer: (any ScheduledTimer)?

    init(request: RequestMessage, weight: Int, place: Int?, session: ClientSession) {
        self.request = request.with(params: [:])
        self.weight = weight
        self.place = place
        self.session = session
    }

    /// Whether the client still waits.
    package var isOpen: Bool { session != nil }

    /// Answers with a `timeout` error unless it is answered before.
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

    /// Answers; later calls do nothing, since the answer and the timeout may come in the same turn.
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
