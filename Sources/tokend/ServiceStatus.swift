// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import Systemd
import TokendProtocol

/// The one line that `systemctl --user status` shows.
struct ServiceStatus {
    private(set) var text = ""

    /// Updates the line from the broker's state.
    ///
    /// - Returns: whether the line changed.
    @LoopActor mutating func update(for broker: Broker) -> Bool {
        let new = text(of: broker)
        defer { text = new }
        return new != text
    }

    @LoopActor func text(of broker: Broker) -> String {
        let summary = broker.summary
        guard !summary.counts.isEmpty else { return "no accounts; sign in with: tokenctl login" }
        let parts = summary.counts.map {
            "\($0.count) \($0.state.rawValue.split(separator: "_").joined(separator: " "))"
        }
        let states = parts.joined(separator: ", ")
        guard let next = summary.nextRefresh else { return "accounts: \(states)" }
        return "accounts: \(states); next renewal \(InternetTime.minute(unixTime: next))"
    }
}
