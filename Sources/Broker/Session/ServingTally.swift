// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Counts the tokens that one connection was served: the first is logged at once, the others once a minute, so that the
/// fast path stays short.
struct ServingTally {
    private static let interval: Duration = .seconds(60)
    private var account: String?
    private var application: String?
    private var nextWord = BootInstant(microseconds: 0)
    private var untold = 0

    /// Counts a token.
    ///
    /// - Returns: the events to log.
    mutating func count(
        _ account: String,
        for application: String?,
        client: UnixSocket.Credentials,
        at now: BootInstant
    ) -> [BrokerEvent] {
        if account == self.account, application == self.application, now < nextWord {
            untold += 1
            return []
        }
        let events = end(client: client)
        self.account = account
        self.application = application
        nextWord = now.advanced(by: Self.interval)
        return events + [.tokenServed(account: account, client: client, application: application, count: 1)]
    }

    /// Ends the count.
    ///
    /// - Returns: the events that were not logged yet.
    mutating func end(client: UnixSocket.Credentials) -> [BrokerEvent] {
        guard let account, untold > 0 else { return [] }
        let count = untold
        untold = 0
        return [.tokenServed(account: account, client: client, application: application, count: count)]
    }
}
