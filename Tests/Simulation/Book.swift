// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// What providers have handed out: the truth that the rules compare the daemon with.
@LoopActor final class Book {
    /// What one sign-in made.
    @LoopActor final class Grant {
        let account: String
        /// Rises with each sign-in of the run.
        let number: Int
        let scope: String
        /// Whether the provider still honours it.
        var isAlive = true

        init(account: String, number: Int, scope: String) {
            self.account = account
            self.number = number
            self.scope = scope
        }
    }

    @LoopActor final class RefreshToken {
        let name: String
        let grant: Grant
        /// When the provider put the successor in its place.
        var spentAt: Span?
        var successor: RefreshToken?
        /// The last daemon that has got this token in an answer, and when.
        var arrival: (daemon: Int, at: Span)?
        /// Whether the store has ever acknowledged it.
        var wasStored = false

        init(name: String, grant: Grant) {
            self.name = name
            self.grant = grant
        }
    }

    @LoopActor final class AccessToken {
        let name: String
        let grant: Grant
        let scope: String
        let audience: String?
        let issuedAt: Span
        /// nil where the provider does not say.
        let life: Span?
        /// What came in the same answer.
        let companion: RefreshToken

        init(
            name: String,
            scope: String,
            audience: String?,
            issuedAt: Span,
            life: Span?,
            companion: RefreshToken
        ) {
            self.name = name
            self.grant = companion.grant
            self.scope = scope
            self.audience = audience
            self.issuedAt = issuedAt
            self.life = life
            self.companion = companion
        }
    }

    private(set) var grantCount = 0
    private var refreshTokens: [String: RefreshToken] = [:]
    private var accessTokens: [String: AccessToken] = [:]
    private var count = 0

    func refreshToken(_ name: String) -> RefreshToken? { refreshTokens[name] }

    func accessToken(_ name: String) -> AccessToken? { accessTokens[name] }

    func grant(account: String, scope: String) -> RefreshToken {
        grantCount += 1
        return refreshToken(of: Grant(account: account, number: grantCount, scope: scope))
    }

    func refreshToken(of grant: Grant) -> RefreshToken {
        count += 1
        let token = RefreshToken(name: "refresh-\(grant.account)-\(grant.number)-\(count)", grant: grant)
        refreshTokens[token.name] = token
        return token
    }

    func accessToken(
        with companion: RefreshToken,
        scope: String,
        audience: String?,
        at now: Span,
        life: Span?
    ) -> AccessToken {
        count += 1
        let name = "access-\(companion.grant.account)-\(companion.grant.number)-\(count)"
        let token = AccessToken(
            name: name,
            scope: scope,
            audience: audience,
            issuedAt: now,
            life: life,
            companion: companion
        )
        accessTokens[name] = token
        return token
    }

    /// Forgets access tokens that ended long ago, so that a long run takes no more memory than a short one.
    func forget(before instant: Span) {
        accessTokens = accessTokens.filter { $0.value.life == nil || $0.value.issuedAt >= instant }
        refreshTokens = refreshTokens.filter { ($0.value.spentAt ?? .max) >= instant }
    }
}
