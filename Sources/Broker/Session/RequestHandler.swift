// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd
package import TokendProtocol

/// A handler's response to a request.
package enum Handling {
    /// The reply's whole line; empty for a notification.
    case reply([UInt8])
    /// A reply that comes later: called with the reply to fill.
    case later(@LoopActor (PendingReply) -> Void)
}

/// A reply that is ready to be written; valid no longer than the line that it answers.
package struct ReadyReply {
    let request: TokenGet.PlainRequest
    let result: TokenGet.PreparedResult
    let expiresIn: Int64?

    func append(to output: inout [UInt8]) {
        result.appendReply(to: request, expiresIn: expiresIn, to: &output)
    }
}

/// Unpacks a request, calls the broker and packs the answer; independent of sockets.
@LoopActor package protocol RequestHandler: AnyObject, Sendable {
    func handle(_ request: RequestMessage, from session: ClientSession) -> Handling

    /// Answers a line that needs no full parsing; nil: `handle` must take it.
    func readyReply(to line: UnsafeRawBufferPointer, from session: ClientSession) -> ReadyReply?

    /// Whether to record the program of each connecting process, because a policy may need it later.
    var asksForPrograms: Bool { get }

    /// Whether a subscriber gets an event.
    func shows(_ event: EventMessage, to session: ClientSession) -> Bool

    /// The client is gone.
    func ended(_ session: ClientSession)
}

extension RequestHandler {
    /// No ready replies.
    package func readyReply(to line: UnsafeRawBufferPointer, from session: ClientSession) -> ReadyReply? { nil }

    /// No policy needs it.
    package var asksForPrograms: Bool { false }

    /// Every subscriber gets every event.
    package func shows(_ event: EventMessage, to session: ClientSession) -> Bool { true }

    /// Does nothing.
    package func ended(_ session: ClientSession) {}
}
