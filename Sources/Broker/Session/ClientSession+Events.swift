// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TokendProtocol

extension ClientSession {
    /// Subscribes this client to events.
    ///
    /// - Returns: false if there are too many subscribers.
    package func subscribe(confirms: Bool = false) -> Bool {
        guard isSubscribed || server.mayTakeASeat(self) else { return false }
        if !isSubscribed { server.subscribers.add(self) }
        isSubscribed = true
        confirmsQuestions = confirmsQuestions || confirms
        return true
    }

    /// Counts a token that this client was served; logged at intervals.
    func count(_ account: String, for application: String?, at now: Moment, in log: any EventLog) {
        for event in tally.count(account, for: application, client: peer, at: now.boot) { log.record(event) }
    }

    /// Counts that were not logged yet.
    func endTally() -> [BrokerEvent] { tally.end(client: peer) }
}
