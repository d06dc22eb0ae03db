// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// When a token is refreshed: computed from numbers alone, so that every case can be tested.
///
/// All spans are seconds, counted from the time at which the last token was requested.
package struct RefreshPolicy: Sendable, Hashable {
    /// How long before its end a token is refreshed; nil: a fifth of its lifetime, between 30 and 300 s. Never more
    /// than half of the lifetime.
    package var margin: Int64?

    /// The shortest time between two automatic refreshes of a grant; a provider's preset may increase it.
    package var minimumGap: Int64 = 10

    /// How long a token without a stated lifetime is used before it is refreshed.
    package var softLifetime: Int64 = 3600

    /// When a token with a stated lifetime of 0 or less is refreshed.
    package var elapsedGap: Int64 = 60

    /// The longest time without a refresh, whatever the policy, so that the grant does not expire from disuse; nil: no
    /// limit.
    package var keepAlive: Int64?

    /// The longest timer: later times are computed again then.
    package static let longestSleep: Int64 = 86_400

    /// The defaults.
    package init(margin: Int64? = nil, keepAlive: Int64? = nil) {
        self.margin = margin
        self.keepAlive = keepAlive
    }

    /// How long after the last request the token is refreshed; nil for a token that does not end.
    ///
    /// The margin is increased by up to a tenth (`jitter`, from 0 to 1), so that many accounts do not refresh at once;
    /// even so, the refresh never happens before half of the lifetime.
    package func refreshDelay(lifetime: Lifetime, jitter: Double) -> Double? {
        switch lifetime {
        case .seconds(let life): delay(life: life, jitter: jitter)
        case .unknown: delay(life: softLifetime, jitter: jitter)
        case .elapsed: Double(max(elapsedGap, minimumGap))
        case .unlimited: nil
        }
    }

    /// How long after the last request the grant is refreshed to keep it alive: half of its own lifetime if the
    /// provider states one, at most `keepAlive`; nil if neither applies. A lifetime of 0 or less is ignored.
    package func keepAliveDelay(grantLifetime: Int64?) -> Int64? {
        guard let keepAlive else { return nil }
        guard let grantLifetime, grantLifetime > 0 else { return max(keepAlive, minimumGap) }
        return max(min(keepAlive, grantLifetime / 2), minimumGap)
    }

    /// The unix time of the refresh of a token that was requested at `sentAt`, rounded down; nil for a token that does
    /// not end.
    package func refreshPoint(sentAt: Int64, lifetime: Lifetime, jitter: Double) -> Int64? {
        refreshDelay(lifetime: lifetime, jitter: jitter).map { sentAt + Int64($0) }
    }

    /// The margin for a lifetime of this length, before any jitter.
    package func margin(life: Int64) -> Double {
        let wanted = margin ?? min(300, max(30, life / 5))
        return min(Double(max(0, wanted)), Double(life) / 2)
    }

    private func delay(life: Int64, jitter: Double) -> Double {
        let margin = margin(life: life)
        let widened = min(margin + margin / 10 * min(max(jitter, 0), 1), Double(life) / 2)
        return max(Double(life) - widened, Double(minimumGap))
    }
}
