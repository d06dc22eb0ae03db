// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Limits on what one client, and all together, can use.
package struct SessionLimits: Sendable {
    /// A request line, in bytes.
    package var line = 256 * 1024
    /// Requests under way on one connection; at this limit reading stops.
    package var inFlight = 64
    /// How long one client's lines are processed before it is the others' turn; at least one line always is. Answers
    /// from held tokens do not count.
    package var turn: Duration = .milliseconds(1)
    /// Replies that a client has not read, in bytes; at this limit reading stops.
    package var unread = 1024 * 1024
    /// How long a client over that limit may go without reading.
    package var unreadPatience: Duration = .seconds(30)
    /// The total weight of requests under way on one connection, in bytes; at this limit reading stops.
    package var underWay = 1024 * 1024
    /// Half-read lines, requests under way and unread replies of all clients together, in bytes; above it the
    /// connection with most is closed. Each client may use 2 MiB and more, and there may be thousands.
    package var together = 64 * 1024 * 1024
    /// Subscribers to events: each is identified again for each event, before other clients are served.
    package var subscribers = 256
    /// How long the rest of an overlong line is discarded before the connection is closed.
    package var overlongPatience: Duration = .seconds(1)
    /// Connected clients; further ones wait in the backlog. The rest of the process's descriptors is for its own work:
    /// GLib, which the keyring needs, aborts the process without one.
    package var clients = SessionLimits.clients(ofDescriptors: SessionLimits.descriptors)

    /// The last slots of the main socket: see `SocketServer`. A user's own tools need few.
    package var reserved: Int { min(64, clients / 8) }

    /// The process's descriptor limit.
    package var descriptors = SessionLimits.descriptors

    package init() {}

    /// The share of the descriptors for clients.
    package static func clients(ofDescriptors count: Int) -> Int {
        max(count / 2, count - ownDescriptors)
    }

    /// The clients of each further socket: together an eighth of the descriptors, so that clients that are restricted
    /// to them do not block the main one.
    package static func furtherClients(ofDescriptors count: Int = descriptors, sockets: Int) -> Int {
        min(mostFurther, max(count / 8 / max(sockets, 1), 4))
    }

    /// Requests of one program that wait for one answer of the user's; it needs only a few.
    package static var waitingForAnswer: Int { 256 }

    /// The cost of a request under way beside its line, in bytes: the reply, a timer, an entry in a queue.
    static var requestWeight: Int { 1024 }

    /// Fewer than on the main socket: further ones are for a few programs.
    private static var mostFurther: Int { 256 }

    /// Enough descriptors for the daemon itself.
    package static var ownDescriptors: Int { 256 }

    package static var descriptors: Int { DescriptorReserve.limit }
}
