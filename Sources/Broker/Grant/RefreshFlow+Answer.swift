// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import Systemd
import TokendProtocol

extension RefreshFlow {
    /// Checks a successful answer, stores it, then reports it. If the check has to wait for the provider's keys, the
    /// refresh token is stored first: the one that was sent may be invalid already.
    func keep(_ response: TokenResponse, _ answered: Attempt, sentAt: Moment) async -> RefreshOutcome? {
        var attempt = answered
        let record = attempt.record
        var verified: IDToken?
        do throws(IdentityFailure) {
            verified = try await verify(response, attempt) { await secure(response.refreshToken, &attempt) }
        } catch {
            return await refuse(error, response.refreshToken, attempt)
        }
        if let variant {
            return await keep(response, for: variant, attempt, sentAt: sentAt, verified: verified)
        }
        var new = record.renewed(by: response, sentAt: sentAt)
        new.token = HeldToken(response, granted: record.scope, sentAt: sentAt, verified: verified)
        new.identity = verified?.identity ?? record.identity
        if verified == nil {
            // Without a usable ID token in the answer, the old one stays (OIDC Core, section 12.2).
            let newest = record.untraded ?? record.token
            new.token?.idToken = newest?.idToken
            new.token?.idTokenExpiresAt = newest?.idTokenExpiresAt
        }
        if let exchange = account.exchange { return await keepAndTrade(new, by: exchange, attempt) }
        return await keep(new, nil, attempt)
    }

    /// Stores the grant as changed by an answer, then reports it; `variantToken`: the token, if it is not the account's
    /// own.
    func keep(_ new: GrantRecord, _ derived: DerivedToken?, _ attempt: Attempt) async -> RefreshOutcome? {
        let isRotated = new.refreshToken != attempt.record.refreshToken
        func renewed(isStored: Bool) -> RefreshOutcome {
            guard let derived else { return .renewed(new, isStored: isStored) }
            return .derived(derived, new, isStored: isStored)
        }
        let isNoted = attempt.record.ended != nil
        guard isRotated || attempt.isMarked || attempt.record.rotates == nil || isNoted else {
            return ifWanted(renewed(isStored: false))
        }
        let refreshToken = isRotated ? new.refreshToken : nil
        do {
            guard try await write(new) else { return await drop(refreshToken, attempt) }
            return renewed(isStored: true)
        } catch {
            guard isWanted else { return await drop(refreshToken, attempt) }
            return isRotated && !attempt.isSecured ? .unstored(new, error, nil, derived) : renewed(isStored: false)
        }
    }

    /// Stores the refresh token of an answer that is not checked yet, without the mark: it was never sent. If the store
    /// refuses, the write after the check tries it again.
    private func secure(_ refreshToken: Secret?, _ attempt: inout Attempt) async {
        guard !attempt.isSecured, let refreshToken, refreshToken != attempt.record.refreshToken else { return }
        attempt.isSecured = (try? await write(attempt.record.replacing(refreshToken))) == true
    }

    /// The answer's ID token, if it is to be kept. Another issuer, client or user makes the answer invalid; any other
    /// fault loses only the ID token (OpenID Connect Core, section 12.2, asks for more): Cognito and others change
    /// `auth_time`, two nodes of a provider may differ by seconds, and django-oauth-toolkit repeats an access token
    /// beside an ID token made for another one.
    ///
    /// - Parameter beforeFetch: called before the provider is asked for its keys.
    private func verify(
        _ response: TokenResponse,
        _ attempt: Attempt,
        beforeFetch: () async -> Void
    ) async throws(IdentityFailure) -> IDToken? {
        guard let token = response.idToken, let issuer = account.issuer, let baseline = attempt.record.baseline else {
            return nil
        }
        let rules = access.idTokenRules(.refresh(baseline), issuer, attempt.metadata, response)
        let reason: String
        do throws(IdentityFailure) {
            return try await access.verify(token, rules: rules, metadata: attempt.metadata, beforeFetch: beforeFetch)
        } catch {
            switch error {
            case .otherSubject: throw error
            case .check(let check, _) where IDTokenError.Check(rawValue: check)?.guardsRefresh == true: throw error
            case .check(let check, let message): reason = "\(check): \(message)"
            case .fault(let fault): reason = fault.message
            }
        }
        do { try IDToken.checkUnverified(token, rules: rules) } catch {
            throw .check(error.check.rawValue, error.message)
        }
        onDroppedIDToken(reason)
        return nil
    }

    /// The result is no longer wanted, whether the store has taken it or not.
    func drop(_ refreshToken: Secret?, _ attempt: Attempt) async -> RefreshOutcome? {
        if work.disposition == .revoked, let refreshToken {
            _ = await access.revoke(refreshToken, hint: .refreshToken, metadata: attempt.metadata)
        }
        return nil
    }

    // MARK: Answers that are not served

    private func refuse(_ fault: IdentityFailure, _ refreshToken: Secret?, _ attempt: Attempt) async -> RefreshOutcome?
    {
        switch fault {
        case .otherSubject:
            return await quarantine(refreshToken, attempt)
        case .check(let check, let message):
            let sentence =
                "\(account.issuerHost) sent an ID token that fails a check (\(check)): \(message)"
            let error = ProtocolError(.providerError, sentence)
            return await refuse(refreshToken, attempt, RefreshFailure(kind: .passing, error: error))
        case .fault(let error):
            return await refuse(refreshToken, attempt, RefreshFailure(kind: .passing, error: error))
        }
    }

    /// The answer is not used, but its refresh token may be the only valid one.
    func refuse(_ refreshToken: Secret?, _ attempt: Attempt, _ failure: RefreshFailure) async -> RefreshOutcome? {
        let new = attempt.record.replacing(refreshToken)
        if attempt.isSecured { return isWanted ? .refused(new, failure) : await drop(refreshToken, attempt) }
        guard refreshToken != nil || attempt.isMarked else { return ifWanted(.failed(failure, nil)) }
        do {
            guard try await write(new) else { return await drop(refreshToken, attempt) }
            return .refused(new, failure)
        } catch {
            guard isWanted else { return await drop(refreshToken, attempt) }
            return refreshToken == nil ? .failed(failure, nil) : .unstored(new, error, failure)
        }
    }

    /// The answer is for another user than the one who signed in: its refresh token is stored, nothing is served.
    private func quarantine(_ refreshToken: Secret?, _ attempt: Attempt) async -> RefreshOutcome? {
        var new = attempt.record.replacing(refreshToken)
        new.token = nil
        new.untraded = nil
        new.ended = .init(reason: .subject, at: access.clock.now.wall)
        do {
            guard try await write(new) else { return await drop(refreshToken, attempt) }
            return .ended(new, nil)
        } catch {
            return isWanted ? .ended(new, error) : await drop(refreshToken, attempt)
        }
    }

    /// The provider says that the grant has ended. Only the token that was sent is given up: the store may hold a newer
    /// one by now.
    func end(_ body: OAuthErrorBody, _ attempt: Attempt) async -> RefreshOutcome? {
        let record = attempt.record
        let tombstone = record.tombstone(
            GrantRecord.Ended(
                reason: attempt.doubt == nil ? .ended : .lostRotation,
                oauthError: body.error.isEmpty ? nil : body.error,
                message: body.message,
                at: access.clock.now.wall
            )
        )
        return await work.withItem {
            do throws(StoreError) {
                guard let stored = try await storedRecord() else { return ifWanted(.vanished) }
                guard stored.refreshToken == record.refreshToken || record.isLater(than: stored) else {
                    return ifWanted(.replaced(stored))
                }
                return try await writeHeld(tombstone) ? .ended(tombstone, nil) : nil
            } catch {
                return ifWanted(.ended(tombstone, error))
            }
        }
    }
}
