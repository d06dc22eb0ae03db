// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

/// What there is behind a narrower socket.
package struct SocketView: Sendable {
    /// What it is made of.
    package let socket: NarrowSocket
    /// Where it is.
    package let path: String

    package init(_ socket: NarrowSocket, path: String) {
        self.socket = socket
        self.path = path
    }

    /// Whether the method is there.
    func shows(_ method: Method) -> Bool { socket.methods.contains(method) }

    /// Whether its clients hear of an event: of their own accounts alone, and not of who else asks for a token.
    func shows(_ event: EventMessage) -> Bool {
        !event.isQuestion && (event.account.map(socket.accounts.contains) ?? false)
    }

    func hasEnded(at now: Int64) -> Bool {
        socket.until.map { $0 <= now } ?? false
    }
}

extension EventMessage {
    /// Whether it is about what another program asks of the user.
    var isQuestion: Bool { type == .confirmWanted || type == .confirmEnded }
}
