// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Limits the refreshes for variants without a held token: a client can name a new variant with every request, and each
/// costs a request to the provider and a new refresh token.
package struct FetchBudget {
    /// The most at once: twice what an account caches, for programs that start together.
    package static let burst = 2 * VariantCache.capacity
    /// Then one per interval, which is the most often that a refresh token is used automatically.
    package static let interval: Int64 = 10

    private var used = 0
    /// The start of the current interval.
    private var since = BootInstant(microseconds: 0)

    /// Takes one.
    ///
    /// - Returns: nil if one was left; otherwise when the next is available.
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
