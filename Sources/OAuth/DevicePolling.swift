// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// When a device login polls the token endpoint next, and when it stops (RFC 8628, sections 3.3 and 3.5).
///
/// All times are spans since the codes were requested, on a clock that does not step.
package struct DevicePolling: Sendable {
    /// The next step.
    package enum Step: Sendable, Equatable {
        /// Poll at this time.
        case poll(at: Duration)
        /// Stop: the codes expire at this time.
        case expire(at: Duration)
    }

    /// The shortest time between two polls; it never decreases.
    package private(set) var interval: Duration
    /// When the codes expire, whatever the provider says.
    package let end: Duration
    /// Consecutive failed polls.
    private var failures = 0

    /// The increase by `slow_down`, for that poll and all later ones.
    package static let slowDownStep: Duration = .seconds(5)
    /// The longest wait after failed polls, unless the interval itself is longer.
    package static let longestBackoff: Duration = .seconds(60)

    /// Both in seconds, as the provider stated them.
    package init(interval: Int64, expiresIn: Int64) {
        self.interval = .seconds(max(1, interval))
        end = .seconds(expiresIn)
    }

    /// The first poll, one interval after the codes: no user enters a code faster.
    package func first(at time: Duration) -> Step { step(at: time + interval) }

    /// The user has not finished.
    package mutating func pending(at time: Duration, retryAfter: Duration? = nil) -> Step {
        failures = 0
        return step(at: time + max(interval, retryAfter ?? .zero))
    }

    /// The provider asks for slower polling: five seconds more from now on, or the interval that it states, in seconds.
    package mutating func slowDown(at time: Duration, interval named: Int64?, retryAfter: Duration? = nil) -> Step {
        failures = 0
        interval = max(interval + Self.slowDownStep, .seconds(named ?? 0))
        return step(at: time + max(interval, retryAfter ?? .zero))
    }

    /// No answer, or an inconclusive one: each consecutive one doubles the wait, and none shortens it.
    package mutating func failed(at time: Duration, retryAfter: Duration? = nil) -> Step {
        failures = min(failures + 1, 16)
        let doubled = min(interval * (1 << failures), max(interval, Self.longestBackoff))
        return step(at: time + max(doubled, retryAfter ?? .zero))
    }

    private func step(at time: Duration) -> Step {
        time < end ? .poll(at: time) : .expire(at: end)
    }
}
