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

/// Unpacks a request, calls what it asks for and packs the answer; knows nothing of sockets.
@LoopActor package protocol RequestHandler: AnyObject, Sendable {
    func handle(_ request: RequestMessage, from session: ClientSession) -> Handling
}
