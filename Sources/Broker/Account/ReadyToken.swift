// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
package import TokendProtocol

/// A held token with its answer encoded, for plain requests that need no other decision.
///
/// It exists only while the account's state does not change: each change drops it, and the state machine decides again
/// before there is a new one.
package final class ReadyToken {
    /// The answer.
    package let result: TokenGet.PreparedResult
    private let end: End?

    /// The token's end by both clocks.
    private struct End {
        /// Unix seconds.
        var wall: Int64
        var boot: BootInstant
    }

    init(_ result: TokenGet.Result, of token: HeldToken) {
        self.result = TokenGet.PreparedResult(result)
        if let wall = token.expiresAt, let boot = token.expiresAtBoot {
            end = End(wall: wall, boot: boot)
        } else {
            end = nil
        }
    }

    /// Seconds of validity left, as computed by `HeldToken.remaining(at:)`; nil if no end is known.
    package func remaining(at now: Moment) -> Int64? {
        guard let end else { return nil }
        let boot = Int64(clamping: end.boot.microseconds) - Int64(clamping: now.boot.microseconds)
        return min(end.wall.subtractingSaturated(now.wall), boot / 1_000_000)
    }
}
