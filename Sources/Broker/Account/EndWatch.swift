// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd

/// Watches the fixed end of an account's grant, and announces it once for each of `EndNotice`'s marks.
@LoopActor final class EndWatch {
    /// The grant's end, and when it began, in unix seconds.
    private struct Span {
        var end: Int64
        var signedInAt: Int64
    }

    /// The notice that was given last.
    private struct Notice {
        var end: Int64
        var days: Int64
    }

    private let account: String
    private let clock: any Clock
    private let log: any EventLog
    /// nil: there is no end to watch.
    private var span: Span?
    private var timer: (any ScheduledTimer)?
    private var given: Notice?

    init(account: String, clock: any Clock, log: any EventLog) {
        self.account = account
        self.clock = clock
        self.log = log
    }

    /// Whether the user should sign in again soon.
    var isEnding: Bool {
        guard let span else { return false }
        return EndNotice.due(end: span.end, signedInAt: span.signedInAt, at: clock.now.wall) != nil
    }

    /// Takes the grant that is in force, after each change of it and each jump of the clocks.
    func watch(_ record: GrantRecord?) {
        span = record.flatMap { record in record.fixedEnd.map { Span(end: $0, signedInAt: record.signedInAt) } }
        look()
    }

    private func look() {
        timer?.cancel()
        timer = nil
        guard let span else { return }
        let now = clock.now
        if let days = EndNotice.due(end: span.end, signedInAt: span.signedInAt, at: now.wall), !wasTold(days, span.end)
        {
            given = Notice(end: span.end, days: days)
            log.record(.grantEnding(account: account, at: span.end))
        }
        guard let next = EndNotice.next(end: span.end, after: now.wall) else { return }
        let wait = min(next.subtractingSaturated(now.wall), RefreshPolicy.longestSleep)
        timer = clock.schedule(at: now.boot.advanced(by: .seconds(wait)), accuracy: .seconds(60)) { [weak self] in
            self?.look()
        }
    }

    /// Each refresh states the end again, a second off.
    private func wasTold(_ days: Int64, _ end: Int64) -> Bool {
        guard let given, abs(given.end.subtractingSaturated(end)) < 3600 else { return false }
        return given.days <= days
    }
}
