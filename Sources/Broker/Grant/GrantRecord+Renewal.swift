// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets

extension GrantRecord {
    /// The record after a successful answer; the caller sets its token.
    func renewed(by response: TokenResponse, sentAt: Moment) -> GrantRecord {
        var record = replacing(response.refreshToken)
        record.rotates = record.refreshToken != refreshToken
        record.scope = response.scope ?? scope
        record.takeEnd(response.grantLifetime, sentAt: sentAt.wall)
        record.refreshedAt = sentAt.wall
        if let narrowed = narrowedTo, let given = response.scope {
            record.narrowingSticks = narrowed.contains(all: given) && !given.contains(all: scope)
            record.narrowedTo = nil
        }
        return record
    }

    /// The record after a successful refresh for a variant: the refresh token is the grant's, the token's scope is not.
    func renewed(by response: TokenResponse, for variant: TokenVariant, sentAt: Moment) -> GrantRecord {
        var record = renewed(by: response, sentAt: sentAt)
        record.scope = scope
        record.narrowedTo = narrowedTo
        record.narrowingSticks = narrowingSticks
        let isRotated = record.refreshToken != refreshToken
        let asked = variant.choosesResource ? nil : variant.scope
        if isRotated, narrowingSticks == nil, let asked, !asked.contains(all: scope) {
            record.narrowedTo = asked
        }
        return record
    }

    /// The record with the new refresh token, if there is one (RFC 6749, section 6), and without the mark of a refresh
    /// under way.
    func replacing(_ new: Secret?) -> GrantRecord {
        var record = self
        record.pending = nil
        record.ended = nil
        if let new, new != refreshToken {
            record.refreshToken = new
            record.generation += 1
        }
        return record
    }
}
