// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// When a device login asks the token endpoint next, and when no more (RFC 8628, sections 3.3 and 3.5).
///
/// All times are spans since the moment at which the codes were asked for, on a clock that does not step.
package struct DevicePolling: Sendable {
    /// What comes next.
    package enum Step: Sendable, Equatable {
        /// Ask at this time.
        case poll(at: Duration)
        /// Ask no more: the codes end at this time.
        case expire(at: Duration)
    }

    /// The least time between two polls; it only ever grows.
    package private(set) var interval: Duration
    /// When the codes end, whatever the provider says.
    package let end: Duration
    /// Polls in a row that came to nothing.
    private var failures = 0

    /// How much `slow_down` adds, for that poll and all later ones.
    package static let slowDownStep: Duration = .seconds(5)
    /// The longest wait after polls that came to nothing, unless the interval itself is longer.
    package static let longestBackoff: Duration = .seconds(60)

    /// Both in seconds, as the provider named them.
    package init(interval: Int64, expiresIn: Int64) {
        self.interval = .seconds(max(1, interval))
        end = .seconds(expiresIn)
    }

    /// The first poll, one interval after the codes: no user enters a code faster.
    package func first(at time: Duration) -> Step { step(at: time + interval) }

    /// The user is not done.
    package mutating func pending(at time: Duration, retryAfter: Duration? = nil) -> Step {
        failures = 0
        return step(at: time + max(interval, retryAfter ?? .zero))
    }

    /// The provider is asked too often: five seconds more from now on, or the interval that it names, in seconds.
    package mutating func slowDown(at time: Duration, interval named: Int64?, retryAfter: Duration? = nil) -> Step {
        failures = 0
        interval = max(interval + Self.slowDownStep, .seconds(named ?? 0))
        return step(at: time + max(interval, retryAfter ?? .zero))
    }

    /// No answer, or one that says nothing: each in a row doubles the wait, and none makes it shorter.
    package mutating func failed(at time: Duration, retryAfter: Duration? = nil) -> Step {
        failures = min(failures + 1, 16)
        let doubled = min(interval * (1 << failures), max(interval, Self.longestBackoff))
        return step(at: time + max(doubled, retryAfter ?? .zero))
    }

    private func step(at time: Duration) -> Step {
        time < end ? .poll(at: time) : .expire(at: end)
    }
}
