// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd

extension LiveGrant {
    /// The token of a variant; nil: the account's own.
    func token(of variant: TokenVariant?) -> HeldToken? {
        guard let variant else { return record.token }
        return variants[variant]?.token
    }

    /// The failure that concerns this variant.
    func failure(of variant: TokenVariant?) -> RefreshFailure? {
        guard let variant else { return retry.failure }
        return retry.sharedFailure ?? variants[variant]?.failure
    }

    /// The earliest time at which a client's request may cause a refresh; nil: at once.
    func blockedUntil(_ variant: TokenVariant?, at now: Moment) -> BootInstant? {
        var blocks: [BootInstant?] = []
        if let variant { blocks.append(variants[variant]?.blockedUntil) }
        if variant == nil ? retry.failure != nil : retry.sharedFailure != nil {
            blocks += [retry.lastAttempt?.advanced(by: .seconds(5)), retry.throttledUntil]
        }
        guard let latest = blocks.compactMap(\.self).max(), latest > now.boot else { return nil }
        return latest
    }

    /// Stores a variant's token. The refresh token that came with it is the grant's.
    mutating func derived(_ new: DerivedToken, _ record: GrantRecord, isStored: Bool, at now: Moment, jitter: Double) {
        variants.renewed(new, jitter: jitter)
        self.record = record
        if isStored { isTokenStored = true }
        lastUsed = now.boot
        idleThen = 0
        activity = .idle
        retry.answered(at: now)
    }

    /// The provider accepts the grant but refuses this variant.
    mutating func refused(_ variant: TokenVariant, _ failure: RefreshFailure, at now: Moment) {
        variants.failed(variant, failure, at: now)
        activity = .idle
        retry.answered(at: now)
    }
}
