// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd
package import TokendProtocol

/// What a request leads to.
package enum Handling {
    /// The reply's whole line, at once; empty for a notification.
    case reply([UInt8])
    /// A reply that needs waiting for: called with where to put it.
    case later(@LoopActor (PendingReply) -> Void)
}

/// A reply that was at hand, still to be written; it holds no longer than the line that it answers.
package struct ReadyReply {
    let request: TokenGet.PlainRequest
    let result: TokenGet.PreparedResult
    let expiresIn: Int64?

    func append(to output: inout [UInt8]) {
        result.appendReply(to: request, expiresIn: expiresIn, to: &output)
    }
}

/// Unpacks a request, calls what it asks for and packs the answer; knows nothing of sockets.
@LoopActor package protocol RequestHandler: AnyObject, Sendable {
    func handle(_ request: RequestMessage, from session: ClientSession) -> Handling

    /// Answers a line that takes no more than a look; nil: it is to be read in full, and given to `handle`.
    func readyReply(to line: UnsafeRawBufferPointer, from session: ClientSession) -> ReadyReply?

    /// Whether it is to be noted what a process runs when it connects: a policy may ask for it later.
    var asksForPrograms: Bool { get }

    /// Whether a subscriber hears of an event.
    func shows(_ event: EventMessage, to session: ClientSession) -> Bool

    /// The client is gone.
    func ended(_ session: ClientSession)
}

extension RequestHandler {
    /// Nothing is ever at hand.
    package func readyReply(to line: UnsafeRawBufferPointer, from session: ClientSession) -> ReadyReply? { nil }

    /// No policy needs it.
    package var asksForPrograms: Bool { false }

    /// Everyone hears of everything.
    package func shows(_ event: EventMessage, to session: ClientSession) -> Bool { true }

    /// Nothing is to be done.
    package func ended(_ session: ClientSession) {}
}
