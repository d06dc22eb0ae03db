// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Which connections of a listener have not brought a whole request yet, and which of them have had their time.
///
/// Idleness alone bounds nothing: a client that sends a byte now and then is never idle. So a request has one deadline
/// as a whole, and where too many are half there, the oldest makes room: a browser sends its request in one go, and is
/// served however many others drip.
struct ListenerAdmission<Connection: Hashable> {
    /// Half-read requests at the same time.
    static var limit: Int { 16 }

    /// From the connection's first moment to the end of its request.
    let patience: Duration
    /// Oldest first.
    private var waiting: [(connection: Connection, deadline: BootInstant)] = []

    init(patience: Duration) {
        self.patience = patience
    }

    /// When the next one has had its time.
    var nextDeadline: BootInstant? { waiting.first?.deadline }

    /// A connection has come.
    ///
    /// - Returns: the one that has to go for it.
    mutating func begin(_ connection: Connection, at now: BootInstant) -> Connection? {
        waiting.append((connection, now.advanced(by: patience)))
        return waiting.count > Self.limit ? waiting.removeFirst().connection : nil
    }

    /// Its request is whole, or it has gone.
    mutating func end(_ connection: Connection) {
        waiting.removeAll { $0.connection == connection }
    }

    /// Those whose time is over; they are not waited for any more.
    mutating func overdue(at now: BootInstant) -> [Connection] {
        let late = waiting.prefix { $0.deadline <= now }.map(\.connection)
        waiting.removeFirst(late.count)
        return late
    }
}
