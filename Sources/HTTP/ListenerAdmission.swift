// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// The connections of a listener without a whole request yet, and their deadlines.
///
/// An idle timeout alone is no limit: a client that sends a byte now and then is never idle. So a request has one
/// deadline as a whole, and if too many are incomplete, the oldest is closed: a browser sends its request in one go,
/// and is served however many others are slow.
struct ListenerAdmission<Connection: Hashable> {
    /// Half-read requests at the same time.
    static var limit: Int { 16 }

    /// From the connection's start to the end of its request.
    let patience: Duration
    /// Oldest first.
    private var waiting: [(connection: Connection, deadline: BootInstant)] = []

    init(patience: Duration) {
        self.patience = patience
    }

    /// The next deadline.
    var nextDeadline: BootInstant? { waiting.first?.deadline }

    /// A connection has started.
    ///
    /// - Returns: the one that must be closed for it.
    mutating func begin(_ connection: Connection, at now: BootInstant) -> Connection? {
        waiting.append((connection, now.advanced(by: patience)))
        return waiting.count > Self.limit ? waiting.removeFirst().connection : nil
    }

    /// Its request is complete, or it has ended.
    mutating func end(_ connection: Connection) {
        waiting.removeAll { $0.connection == connection }
    }

    /// Removes and returns those past their deadline.
    mutating func overdue(at now: BootInstant) -> [Connection] {
        let late = waiting.prefix { $0.deadline <= now }.map(\.connection)
        waiting.removeFirst(late.count)
        return late
    }
}
