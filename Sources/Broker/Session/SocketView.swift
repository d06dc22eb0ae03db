// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

/// What a restricted socket shows.
package struct SocketView: Sendable {
    /// Its settings.
    package let socket: NarrowSocket
    /// Its path.
    package let path: String

    package init(_ socket: NarrowSocket, path: String) {
        self.socket = socket
        self.path = path
    }

    /// Whether the method exists there.
    func shows(_ method: Method) -> Bool { socket.methods.contains(method) }

    /// Whether its clients get an event: only about their accounts, and never about other clients' requests.
    func shows(_ event: EventMessage) -> Bool {
        !event.isQuestion && (event.account.map(socket.accounts.contains) ?? false)
    }

    func hasEnded(at now: Int64) -> Bool {
        socket.until.map { $0 <= now } ?? false
    }
}

extension EventMessage {
    /// Whether it is about another program's request to the user.
    var isQuestion: Bool { type == .confirmWanted || type == .confirmEnded }
}
