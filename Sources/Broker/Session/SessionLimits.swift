// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// What one client, and all of them together, can take of the daemon.
package struct SessionLimits: Sendable {
    /// A request line, in bytes.
    package var line = 256 * 1024
    /// Requests under way on one connection; beyond it nothing more is read from it.
    package var inFlight = 64
    /// How long one client's lines are taken before it is the others' turn; one line is always taken. What is answered
    /// from what is held does not count.
    package var turn: Duration = .milliseconds(1)
    /// Replies that a client has not read, in bytes; beyond it likewise.
    package var unread = 1024 * 1024
    /// How long a client with that much unread may go without reading.
    package var unreadPatience: Duration = .seconds(30)
    /// What the requests under way on one connection count for, in bytes; beyond it nothing more is read from it.
    package var underWay = 1024 * 1024
    /// Half-read lines, requests under way and unread replies of all clients together, in bytes; beyond it the connection
    /// with most is closed. Each by itself may have 2 MiB and more, and there may be thousands.
    package var together = 64 * 1024 * 1024
    /// Who hears of events: each takes a look at who it is, with every event, before others are served.
    package var subscribers = 256
    /// How long a line over the limit is read away before the connection is closed.
    package var overlongPatience: Duration = .seconds(1)
    /// Connected clients; further ones wait in the backlog. The rest of the process's descriptors is for its own work:
    /// GLib, which the keyring is reached with, ends the process where it gets none.
    package var clients = SessionLimits.clients(ofDescriptors: SessionLimits.descriptors)

    /// The last places of the main socket: see `SocketServer`. A user's own tools need few.
    package var reserved: Int { min(64, clients / 8) }

    /// What the process may have in all.
    package var descriptors = SessionLimits.descriptors

    package init() {}

    /// How many of so many descriptors clients may have.
    package static func clients(ofDescriptors count: Int) -> Int {
        max(count / 2, count - ownDescriptors)
    }

    /// How many clients each of so many further sockets may have: together an eighth of the descriptors, so that who is
    /// limited to these does not block the main one.
    package static func furtherClients(ofDescriptors count: Int = descriptors, sockets: Int) -> Int {
        min(mostFurther, max(count / 8 / max(sockets, 1), 4))
    }

    /// Requests of one program that wait for one answer of the person's: it needs no more than a few.
    package static var waitingForAnswer: Int { 256 }

    /// What a request under way takes beside its line, in bytes: the reply that is owed, a timer, a place in a queue.
    static var requestWeight: Int { 1024 }

    /// Fewer than the main socket has: further ones are for a few programs.
    private static var mostFurther: Int { 256 }

    /// Descriptors that are enough for the daemon itself.
    package static var ownDescriptors: Int { 256 }

    package static var descriptors: Int { DescriptorReserve.limit }
}
