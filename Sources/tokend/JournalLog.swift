// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Systemd
import TokendProtocol

/// The daemon's log (without `<N>` prefixes at a terminal) and the only source of events for subscribers: each event is
/// logged once, with fields, and without any secret.
final class JournalLog: EventLog {
    var level: DaemonConfiguration.LogLevel
    /// Called with each event after logging it.
    var onEvent: ((BrokerEvent) -> Void)?
    /// Set once there are subscribers.
    var publish: ((EventMessage) -> Void)?
    private let journal: Journal
    private let clock: any Clock
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var served = ServedTokens(program: ProcessNames().name(of:at:))

    init(journal: Journal, level: DaemonConfiguration.LogLevel, clock: any Clock) {
        self.journal = journal
        self.level = level
        self.clock = clock
    }

    /// Where the lines go: `journal`, or the `stderr` of whatever started the daemon.
    var place: String { journal.isStructured ? "journal" : "stderr" }

    /// The path behind `stderr`; nil for the journal, for a pipe, and for a deleted file.
    var file: String? {
        guard !journal.isStructured else { return nil }
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(STDERR_FILENO)", &bytes, bytes.count)
        let path = String(decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.hasPrefix("/") && !path.hasSuffix(" (deleted)") ? path : nil
    }

    func record(_ event: BrokerEvent) {
        if let message = event.message(at: clock.now.wall) { publish?(message) }
        for line in lines(of: event) { write(line) }
        onEvent?(event)
    }

    func write(_ line: LogLine) {
        guard line.priority.rawValue <= level.rank else { return }
        guard journal.isStructured || !isTerminal else {
            FileHandleOutput.standardError.write(line.message + "\n")
            return
        }
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
