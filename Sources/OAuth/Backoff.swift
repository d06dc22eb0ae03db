// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How long to wait after failures that pass: full jitter over a doubling span, with a minimum.
package enum Backoff {
    /// The span of the first wait.
    package static let base: Duration = .seconds(2)

    /// The longest span while the held token is valid.
    package static let capHolding: Duration = .seconds(300)

    /// The longest span without a valid token.
    package static let capEmpty: Duration = .seconds(900)

    /// The shortest wait: a refresh that fails at once must not become a loop.
    package static let floor: Duration = .seconds(1)

    /// The wait after the `attempt`-th consecutive failure (1 is the first).
    ///
    /// `random` (from 0 to 1) chooses within the span; `retryAfter` is the provider's request, which is always
    /// respected.
    package static func wait(
        attempt: Int,
        holdsToken: Bool,
        random: Double,
        retryAfter: Duration? = nil
    ) -> Duration {
        let cap = holdsToken ? capHolding : capEmpty
        let doublings = min(max(attempt, 1), 17) - 1
        let span = min(base * (1 << doublings), cap)
        return max(span * min(max(random, 0), 1), floor, retryAfter ?? .zero)
    }
}
