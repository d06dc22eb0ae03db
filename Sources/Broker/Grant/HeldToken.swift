// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import Secrets
package import StrictJSON
package import Systemd

/// An access token that the daemon holds, with its end on both clocks.
package struct HeldToken: Sendable, Equatable {
    package var accessToken: Secret
    package var tokenType: String
    /// What the grant covered when the token was issued.
    package var scope: Scope
    /// When it was requested; unix seconds.
    package var issuedAt: Int64
    /// Its lifetime according to the provider.
    package var lifetime: Lifetime
    /// `issuedAt` on the boot-time clock: when the request was sent, or for a token from the store, when it was read
    /// less its age on the wall clock.
    package var obtainedAtBoot: BootInstant
    /// Its age in seconds at `obtainedAtBoot`.
    package var ageThen: Int64 = 0
    package var idToken: Secret?
    package var idTokenExpiresAt: Int64?
    /// Members of the provider's answer that OAuth does not define.
    package var extra: JSONObject

    package init(
        accessToken: Secret,
        tokenType: String,
        scope: Scope,
        issuedAt: Int64,
        lifetime: Lifetime,
        obtainedAtBoot: BootInstant,
        ageThen: Int64 = 0,
        idToken: Secret? = nil,
        idTokenExpiresAt: Int64? = nil,
        extra: JSONObject = [:]
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.scope = scope
        self.issuedAt = issuedAt
        self.lifetime = lifetime
        self.obtainedAtBoot = obtainedAtBoot
        self.ageThen = ageThen
        self.idToken = idToken
        self.idTokenExpiresAt = idTokenExpiresAt
        self.extra = extra.asExtra
    }

    /// Its whole lifetime in seconds; nil if the provider states none.
    package var wholeLife: Int64? {
        guard case .seconds(let seconds) = lifetime else { return nil }
        return seconds
    }

    /// Unix seconds.
    package var expiresAt: Int64? {
        wholeLife.map { issuedAt.addingSaturated($0) }
    }

    /// The same end on the boot-time clock, which runs during suspend and never steps.
    package var expiresAtBoot: BootInstant? {
        wholeLife.map { obtainedAtBoot.advanced(by: .seconds(max(0, $0 - ageThen))) }
    }

    /// Seconds of validity left, by the clock that shows less, 0 after its end; nil if no end is known.
    package func remaining(at now: Moment) -> Int64? {
        guard let expiresAt, let expiresAtBoot else { return nil }
        return max(
            0,
            min(expiresAt.subtractingSaturated(now.wall), now.boot.duration(to: expiresAtBoot).components.seconds)
        )
    }

    /// Whether it is valid for at least `seconds`; a token without a known end is valid until an API refuses it.
    package func holds(_ seconds: Int64, at now: Moment) -> Bool {
        guard let remaining = remaining(at: now) else { return true }
        return remaining >= max(seconds, 1)
    }

    /// Whether a token without a known end has been used for so long that it should be renewed.
    package func isSuspect(at now: Moment) -> Bool {
        guard wholeLife == nil, let span = RefreshPolicy().refreshDelay(lifetime: lifetime, jitter: 0) else {
            return false
        }
        return age(at: now) >= .seconds(span)
    }

    /// How long ago it came.
    package func age(at now: Moment) -> Duration {
        .seconds(ageThen) + obtainedAtBoot.duration(to: now.boot)
    }
}

extension Int64 {
    /// The difference, or the nearest number possible: times from outside must never trap.
    func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        guard overflow else { return difference }
        return self < 0 ? .min : .max
    }

    /// The sum, or the nearest number possible.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return self < 0 ? .min : .max
    }
}
