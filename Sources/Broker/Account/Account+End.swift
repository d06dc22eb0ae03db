// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

extension Account {
    /// The notice of a grant's end that was given last.
    struct GivenNotice {
        var end: Int64
        var days: Int64
    }

    /// Whether a user should sign in anew soon.
    var isEnding: Bool {
        guard let record = machine.record, let end = record.fixedEnd else { return false }
        return EndNotice.due(end: end, signedInAt: record.signedInAt, at: ports.clock.now.wall) != nil
    }

    /// Tells that the grant's fixed end comes near, once for each of its marks, and waits for the next one.
    func watchEnd() {
        endTimer?.cancel()
        endTimer = nil
        guard let record = machine.record, let end = record.fixedEnd else { return }
        let now = ports.clock.now
        if let days = EndNotice.due(end: end, signedInAt: record.signedInAt, at: now.wall), !wasTold(days, end) {
            givenNotice = GivenNotice(end: end, days: days)
            ports.log.record(.grantEnding(account: name, at: end))
        }
        guard let next = EndNotice.next(end: end, after: now.wall) else { return }
        let instant = now.boot.advanced(by: .seconds(next.subtractingSaturated(now.wall)))
        endTimer = ports.clock.schedule(at: min(instant, horizon), accuracy: .seconds(60)) { [weak self] in
            self?.watchEnd()
        }
    }

    /// Each refresh names the end anew, a second off.
    private func wasTold(_ days: Int64, _ end: Int64) -> Bool {
        guard let given = givenNotice, abs(given.end.subtractingSaturated(end)) < 3600 else { return false }
        return given.days <= days
    }
}
