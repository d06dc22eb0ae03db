// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd
package import TokendProtocol

/// A pending reply: made when a request cannot be answered at once, and answered exactly once.
@LoopActor package final class PendingReply {
    /// What is answered.
    package let request: RequestMessage
    /// Who asked; nil once it was answered, or the client is gone.
    package private(set) weak var session: ClientSession?
    /// Its place among the plain requests without an id; nil for all others.
    let place: Int?
    /// Called when the client went away first.
    package var onAbandon: (@LoopActor () -> Void)?
    private var timer: (any ScheduledTimer)?

    init(request: RequestMessage, place: Int?, session: ClientSession) {
        self.request = request
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
            [weak self] in self?.fail(ProtocolError(.timeout, message))
        }
    }

    /// Answers; later calls do nothing, since a wait and its end in time may come in the same turn.
    package func succeed(_ result: some MethodResult) {
        answer(request.isNotification ? [] : ReplyMessage.result(result, to: request))
    }

    /// Answers with an error; later calls do nothing.
    package func fail(_ error: ProtocolError) {
        answer(request.isNotification ? [] : ReplyMessage.error(error, to: request))
    }

    /// Answers with a whole line; later calls do nothing.
    func answer(_ line: [UInt8]) {
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
