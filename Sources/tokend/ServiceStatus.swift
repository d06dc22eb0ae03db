// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import FoundationEssentials
import Systemd
import TokendProtocol

/// The one line that `systemctl --user status` shows.
struct ServiceStatus {
    private(set) var text = ""

    /// Takes the broker's state.
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
        let parts = summary.counts.map { "\($0.count) \($0.state.rawValue.replacing("_", with: " "))" }
        let states = parts.joined(separator: ", ")
        guard let next = summary.nextRefresh else { return "accounts: \(states)" }
        return "accounts: \(states); next renewal \(Self.clockTime(next))"
    }

    /// `2026-11-30 14:05 UTC`
    private static func clockTime(_ time: Int64) -> String {
        let text = Date(timeIntervalSince1970: Double(time)).formatted(.iso8601)
        return text.prefix(16).replacing("T", with: " ") + " UTC"
    }
}
