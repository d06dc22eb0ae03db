// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Systemd
import TokendProtocol

/// The daemon's log and the one door to subscribers: each event is told once, with fields, and without any secret.
final class JournalLog: EventLog {
    var level: DaemonConfiguration.LogLevel
    /// Set once there are clients to tell.
    weak var server: SocketServer?
    private let journal: Journal
    private let clock: any Clock
    private var served = ServedTokens()

    init(journal: Journal, level: DaemonConfiguration.LogLevel, clock: any Clock) {
        self.journal = journal
        self.level = level
        self.clock = clock
    }

    func record(_ event: BrokerEvent) {
        if let message = event.message(at: clock.now.wall) { server?.publish(message.line()) }
        for line in lines(of: event) { write(line) }
    }

    func write(_ line: LogLine) {
        guard line.priority.rawValue <= level.rank else { return }
        journal.send(line.priority, line.message, line.fields)
    }

    private func lines(of event: BrokerEvent) -> [LogLine] {
        guard case .tokenServed(let account, let client, let application, let count) = event else {
            return [LogLine(event)]
        }
        guard DaemonConfiguration.LogLevel.info <= level else { return [] }
        return served.lines(account: account, client: client, application: application, count: count, at: clock.now)
    }
}
