// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TokendProtocol

extension ClientSession {
    /// Has this client told of events from now on.
    ///
    /// - Returns: false where so many are told already that it is not.
    package func subscribe(confirms: Bool = false) -> Bool {
        guard isSubscribed || server.mayTakeASeat(self) else { return false }
        if !isSubscribed { server.subscribers.add(self) }
        isSubscribed = true
        confirmsQuestions = confirmsQuestions || confirms
        return true
    }

    /// Counts a token that this client was served; the log is told now and then.
    func count(_ account: String, for application: String?, at now: Moment, in log: any EventLog) {
        for event in tally.count(account, for: application, client: peer, at: now.boot) { log.record(event) }
    }

    /// What the log has not heard of yet.
    func endTally() -> [BrokerEvent] { tally.end(client: peer) }
}
