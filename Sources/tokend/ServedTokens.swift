// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import Systemd

/// Logs served tokens: at once the first time, then once a minute for the same program and account.
struct ServedTokens {
    private struct Key: Hashable {
        var account: String
        var pid: Int32
    }

    private struct Count {
        var since: BootInstant
        var program: String
        var untold = 0
    }

    private static let interval: Duration = .seconds(60)
    private static let limit = 256
    private var counts: [Key: Count] = [:]
    private let program: (Int32, BootInstant) -> String?

    /// - Parameter program: the name of a process; nil if it is not visible, for example after its end.
    init(program: @escaping (Int32, BootInstant) -> String?) {
        self.program = program
    }

    /// The log lines for a served token.
    mutating func lines(
        account: String,
        client: UnixSocket.Credentials,
        application: String?,
        count served: Int,
        at now: Moment
    ) -> [LogLine] {
        let key = Key(account: account, pid: client.pid)
        let program = program(client.pid, now.boot)
        // A reused process ID is not counted for the earlier process.
        if let count = counts[key], let program, program != count.program {
            counts[key] = Count(since: now.boot, program: program)
            let owed = count.untold > 0 ? [line(key, count.program, nil, count.untold)] : []
            return owed + [line(key, program, application, served)]
        }
        if var count = counts[key] {
            count.untold += served
            guard count.since.duration(to: now.boot) >= Self.interval else {
                counts[key] = count
                return []
            }
            counts[key] = Count(since: now.boot, program: count.program)
            return [line(key, count.program, application, count.untold)]
        }
        let lines = counts.count >= Self.limit ? forget(at: now) : []
        counts[key] = Count(since: now.boot, program: program ?? "unknown")
        return lines + [line(key, program ?? "unknown", application, served)]
    }

    /// Makes room, and logs the pending counts.
    private mutating func forget(at now: Moment) -> [LogLine] {
        let lines = counts.filter { $0.value.untold > 0 }.map { key, count in
            line(key, count.program, nil, count.untold)
        }
        counts = [:]
        return lines
    }

    private func line(_ key: Key, _ program: String, _ application: String?, _ count: Int) -> LogLine {
        let name = application.map { " as “\(DisplayText.sanitized($0, limit: 80))”" } ?? ""
        let times = count == 1 ? "" : " (\(count) times)"
        return LogLine(
            .info,
            "\(key.account): token served to \(program) [\(key.pid)]\(name)\(times)",
            LogLine.fields("token_served", key.account) + [
                ("TOKEND_CLIENT", "\(key.pid) \(program)"), ("TOKEND_COUNT", String(count)),
            ]
        )
    }
}
