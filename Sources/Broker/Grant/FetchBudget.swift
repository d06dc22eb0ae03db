// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// How many combinations of which no token is held one grant is refreshed for: a client can name a new one with every
/// request, and each costs a request to the provider and a new refresh token.
package struct FetchBudget {
    /// So many at once: twice what an account remembers, for programs that begin together.
    package static let burst = 2 * VariantCache.capacity
    /// Then one in this time, as often as a refresh token is used by itself at most.
    package static let interval: Int64 = 10

    private var used = 0
    /// From when on the next one is regained.
    private var since = BootInstant(microseconds: 0)

    /// Takes one.
    ///
    /// - Returns: nil where one was left; else when the next one is there.
    mutating func take(at now: BootInstant) -> BootInstant? {
        let regained = since.duration(to: now).components.seconds / Self.interval
        if regained >= Int64(used) {
            used = 0
            since = now
        } else if regained > 0 {
            used -= Int(regained)
            since = since.advanced(by: .seconds(regained * Self.interval))
        }
        guard used < Self.burst else { return since.advanced(by: .seconds(Self.interval)) }
        used += 1
        return nil
    }
}
