// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import Systemd

/// Who was served which token: told at once the first time, then once a minute for the same program and account. What
/// `tokenctl` got for one process is told as that one's.
struct ServedTokens {
    private struct Key: Hashable {
        var account: String
        /// The one that the token is for.
        var pid: Int32
    }

    private struct Count {
        var since: BootInstant
        var program: ProgramName
        /// The process that was served last.
        var served: Int32
        var untold = 0
    }

    private static let interval: Duration = .seconds(60)
    private static let limit = 256
    private var counts: [Key: Count] = [:]
    private let program: (Int32, BootInstant) -> ProgramName?

    /// - Parameter program: the name of a process; nil if it is not visible, for example after its end.
    init(program: @escaping (Int32, BootInstant) -> ProgramName?) {
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
        let program = program(client.pid, now.boot)
        let key = Key(account: account, pid: program?.caller?.pid ?? client.pid)
        // A reused process ID is not counted for the earlier process.
        if let count = counts[key], let program, program != count.program {
            let new = Count(since: now.boot, program: program, served: client.pid)
            counts[key] = new
            let owed = count.untold > 0 ? [line(key, count, nil, count.untold)] : []
            return owed + [line(key, new, application, served)]
        }
        if var count = counts[key] {
            count.untold += served
            count.served = client.pid
            guard count.since.duration(to: now.boot) >= Self.interval else {
                counts[key] = count
                return []
            }
            counts[key] = Count(since: now.boot, program: count.program, served: client.pid)
            return [line(key, count, application, count.untold)]
        }
        let lines = counts.count >= Self.limit ? forget(at: now) : []
        let new = Count(since: now.boot, program: program ?? ProgramName(text: "unknown"), served: client.pid)
        counts[key] = new
        return lines + [line(key, new, application, served)]
    }

    /// Makes room, and logs the pending counts.
    private mutating func forget(at now: Moment) -> [LogLine] {
        let lines = counts.filter { $0.value.untold > 0 }.map { key, count in
            line(key, count, nil, count.untold)
        }
        counts = [:]
        return lines
    }

    private func line(_ key: Key, _ last: Count, _ application: String?, _ count: Int) -> LogLine {
        let name = application.map { " as “\(DisplayText.sanitized($0, limit: 80))”" } ?? ""
        let times = count == 1 ? "" : " (\(count) times)"
        let program = last.program
        let who = program.caller.map { "\($0.path) [\($0.pid)] with tokenctl" } ?? "\(program.text) [\(last.served)]"
        var fields = LogLine.fields("token_served", key.account)
        fields += [("TOKEND_CLIENT", "\(last.served) \(program.text)"), ("TOKEND_COUNT", String(count))]
        if let caller = program.caller { fields.append(("TOKEND_CALLER", "\(caller.pid) \(caller.path)")) }
        return LogLine(.info, "\(key.account): token served to \(who)\(name)\(times)", fields)
    }
}
