// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// What the provider has handed out: pure bookkeeping, with the time as a parameter.
struct GrantBook {
    struct Grant {
        let id: Int
        let clientID: String
        let subject: String
        var scope: String
        let nonce: String?
        let authenticatedAt: Int
        var isRevoked = false
    }

    /// An authorization request that has been approved and waits for its code to be redeemed.
    struct PendingCode {
        let grant: Grant
        let redirectURI: String
        let challenge: String?
        var isUsed = false
    }

    struct TokenSet {
        let grant: Grant
        let accessToken: String
        let refreshToken: String?
        let scope: String
    }

    /// What one access token is for.
    struct Purpose {
        var scope: String
        var resources: [String] = []
        var audience: String?
    }

    private struct AccessRecord {
        let grantID: Int
        let end: ContinuousClock.Instant
        let purpose: Purpose
    }

    private struct RefreshRecord {
        let grantID: Int
        var retiredAt: ContinuousClock.Instant?
        /// Whether the answer with this token's successor left whole.
        var successorArrived = false
    }

    enum RefreshOutcome {
        case issued(TokenSet)
        case unknown
        case widened
        /// The token had been replaced; `innocent` where the client never got the replacement.
        case reused(innocent: Bool)
    }

    private var grants: [Int: Grant] = [:]
    private(set) var codes: [String: PendingCode] = [:]
    private var refreshRecords: [String: RefreshRecord] = [:]
    private var accessTokens: [String: AccessRecord] = [:]
    /// Every code, access token and refresh token ever made, without the characters that are there to be escaped.
    private(set) var secrets: [String] = []

    /// The grant of an access token that holds now, with that token's scope; nil where it is revoked.
    func grant(accessToken: String, now: ContinuousClock.Instant) -> Grant? {
        guard let record = accessTokens[accessToken], record.end > now, var grant = grants[record.grantID],
            !grant.isRevoked
        else { return nil }
        grant.scope = record.purpose.scope
        return grant
    }

    /// What an access token was issued for.
    func purpose(accessToken: String) -> Purpose? { accessTokens[accessToken]?.purpose }

    /// Refresh tokens that would be accepted without any grace.
    var liveRefreshTokens: [String] {
        refreshRecords.filter { $0.value.retiredAt == nil && grants[$0.value.grantID]?.isRevoked == false }.map(\.key)
    }

    /// Makes a code for an approved request.
    mutating func makeCode(
        clientID: String,
        subject: String,
        scope: String,
        nonce: String?,
        redirectURI: String,
        challenge: String?
    ) -> String {
        let grant = Grant(
            id: codes.count + 1,
            clientID: clientID,
            subject: subject,
            scope: scope,
            nonce: nonce,
            authenticatedAt: time(nil)
        )
        let code = makeSecret("code")
        codes[code] = PendingCode(grant: grant, redirectURI: redirectURI, challenge: challenge)
        return code
    }

    /// Redeems a code whose request has been checked.
    mutating func redeem(
        _ code: String,
        scope: String?,
        resources: [String],
        audience: String?,
        settings: ProviderSettings,
        now: ContinuousClock.Instant
    ) -> TokenSet? {
        guard let pending = codes[code], !pending.isUsed else { return nil }
        codes[code]?.isUsed = true
        grants[pending.grant.id] = pending.grant
        let covered = settings.covered(scope, of: pending.grant.scope)
        let purpose = Purpose(scope: covered, resources: resources, audience: audience)
        return issue(pending.grant, purpose, settings: settings, now: now)
    }

    /// Ends everything that came of a code (RFC 6749, section 4.1.2).
    mutating func revoke(code: String) {
        guard let pending = codes[code] else { return }
        grants[pending.grant.id]?.isRevoked = true
    }

    /// Ends the grant that a refresh or access token belongs to; false for an unknown token.
    mutating func revoke(token: String) -> Bool {
        guard let id = refreshRecords[token]?.grantID ?? accessTokens[token]?.grantID else { return false }
        grants[id]?.isRevoked = true
        return true
    }

    /// Forgets one access token.
    mutating func end(accessToken: String) { accessTokens[accessToken] = nil }

    /// Ends every grant: the next refresh is answered with `invalid_grant`.
    mutating func revokeAll() { for id in grants.keys { grants[id]?.isRevoked = true } }

    /// Answers a refresh; reuse beyond the grace ends the grant.
    mutating func refresh(
        _ token: String,
        clientID: String,
        scope: String?,
        resources: [String],
        audience: String?,
        settings: ProviderSettings,
        now: ContinuousClock.Instant
    ) -> RefreshOutcome {
        guard let record = refreshRecords[token], let grant = grants[record.grantID], grant.clientID == clientID,
            !grant.isRevoked
        else { return .unknown }
        if let scope, !Set(scope.split(separator: " ")).isSubset(of: Set(grant.scope.split(separator: " "))) {
            return .widened
        }
        if let retiredAt = record.retiredAt {
            guard case .rotating(let grace) = settings.refreshTokens, retiredAt.duration(to: now) < grace else {
                grants[grant.id]?.isRevoked = true
                return .reused(innocent: !record.successorArrived)
            }
        }
        let purpose = Purpose(scope: settings.covered(scope, of: grant.scope), resources: resources, audience: audience)
        guard case .rotating = settings.refreshTokens else {
            return .issued(issue(grant, purpose, settings: settings, now: now, keeping: token))
        }
        refreshRecords[token]?.retiredAt = record.retiredAt ?? now
        return .issued(issue(grant, purpose, settings: settings, now: now))
    }

    /// A token that a client gets for itself.
    mutating func issueOwn(
        clientID: String,
        purpose: Purpose,
        settings: ProviderSettings,
        now: ContinuousClock.Instant
    ) -> TokenSet {
        let grant = Grant(
            id: -1 - grants.count,
            clientID: clientID,
            subject: clientID,
            scope: purpose.scope,
            nonce: nil,
            authenticatedAt: time(nil)
        )
        grants[grant.id] = grant
        let accessToken = makeSecret("at", escaped: false)
        accessTokens[accessToken] = AccessRecord(
            grantID: grant.id,
            end: now.advanced(by: .seconds(settings.accessTokenLifetime)),
            purpose: purpose
        )
        return TokenSet(grant: grant, accessToken: accessToken, refreshToken: nil, scope: purpose.scope)
    }

    /// Notes that the answer which replaced `token` left whole: its next use is the client's fault.
    mutating func successorArrived(for token: String) { refreshRecords[token]?.successorArrived = true }

    private mutating func issue(
        _ grant: Grant,
        _ purpose: Purpose,
        settings: ProviderSettings,
        now: ContinuousClock.Instant,
        keeping kept: String? = nil
    ) -> TokenSet {
        let accessToken = makeSecret("at", escaped: false)
        let end = now.advanced(by: .seconds(settings.accessTokenLifetime))
        let scope = purpose.scope
        accessTokens[accessToken] = AccessRecord(grantID: grant.id, end: end, purpose: purpose)
        guard kept == nil else {
            return TokenSet(grant: grant, accessToken: accessToken, refreshToken: nil, scope: scope)
        }
        if case .none = settings.refreshTokens {
            return TokenSet(grant: grant, accessToken: accessToken, refreshToken: nil, scope: scope)
        }
        let refreshToken = makeSecret("rt")
        refreshRecords[refreshToken] = RefreshRecord(grantID: grant.id)
        return TokenSet(grant: grant, accessToken: accessToken, refreshToken: refreshToken, scope: scope)
    }

    /// The secret code of a device login, and the one that its user enters.
    mutating func makeDeviceCodes() -> (device: String, user: String) {
        let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
        let user = String((0..<8).map { _ in letters.randomElement() ?? "B" })
        return (makeSecret("device"), user.prefix(4) + "-" + user.suffix(4))
    }

    /// Codes and refresh tokens end in what a client must escape; an access token is a `b64token`.
    mutating func makeSecret(_ kind: String, escaped: Bool = true) -> String {
        var generator = SystemRandomNumberGenerator()
        let core = "\(kind)-" + String(generator.next(), radix: 16) + String(generator.next(), radix: 16)
        secrets.append(core)
        return escaped ? core + "/+%&=" : core
    }
}
