// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

/// One refresh from the store to the store: read, mark, send, check, keep.
///
/// It runs as a task and changes nothing but the store; its outcome goes back to the account as an event, and is
/// dropped there if the account has moved on.
@LoopActor struct RefreshFlow {
    let access: ProviderAccess
    let store: any CredentialStore
    /// Whether the account still waits for this refresh; a result that nobody waits for is revoked, not kept.
    let isCurrent: @LoopActor () -> Bool

    private var account: AccountConfiguration { access.account }

    /// - Returns: nil where the account has moved on.
    func run(_ known: GrantRecord) async -> RefreshOutcome? {
        do throws(StoreError) {
            guard var record = try await currentRecord(known) else { return isCurrent() ? .vanished : nil }
            guard isCurrent() else { return nil }
            if record.refreshToken != known.refreshToken, let token = record.token,
                token.holds(TokenDemand.defaultMinValid, at: access.clock.now)
            {
                return .renewed(record, isStored: true)
            }
            guard let refreshToken = record.refreshToken else { return .vanished }
            let metadata: ProviderMetadata
            do {
                metadata = try await access.directory.metadata(for: account, wire: access.wire)
            } catch {
                return .failed(
                    RefreshFailure(kind: error.kind == .providerError ? .misconfigured : .passing, error: error)
                )
            }
            let wasPending = record.pending != nil
            if record.rotates != false, !wasPending {
                record.pending = .init(generation: record.generation, sentAt: access.clock.now.wall)
                try await store.write(record.item(for: account))
            }
            guard isCurrent() else { return nil }
            return await send(record, refreshToken, metadata, wasPending: wasPending)
        } catch {
            return isCurrent() ? .storeBlocked(error) : nil
        }
    }

    /// What the store holds now: another program, or an earlier daemon, may have moved on.
    private func currentRecord(_ known: GrantRecord) async throws(StoreError) -> GrantRecord? {
        guard let item = try await store.item(account: account.name) else { return nil }
        var record = try GrantRecord.read(item, at: access.clock.now)
        if record.refreshToken == known.refreshToken {
            // What a restart forgets is still known here.
            record.identityToken = known.identityToken
            record.token = known.token
            record.rotates = known.rotates
        }
        return record
    }

    private func send(
        _ record: GrantRecord,
        _ refreshToken: Secret,
        _ metadata: ProviderMetadata,
        wasPending: Bool
    ) async -> RefreshOutcome? {
        do throws(OAuthError) {
            let endpoint = try metadata.require(\.tokenEndpoint, named: "token_endpoint")
            let request = try TokenRequest.refresh(
                refreshToken,
                resources: account.resource,
                audience: account.audience
            )
            var sent = try await access.send(request, to: endpoint, requested: record.scope)
            var mayBeSpent = wasPending
            if sent.isLost {
                // The answer may have held a new token: inside the grace that providers give, once more, at once.
                mayBeSpent = true
                sent = try await access.send(request, to: endpoint, requested: record.scope)
            }
            return await judge(sent, record, metadata, mayBeSpent: mayBeSpent)
        } catch {
            return isCurrent() ? .failed(RefreshFailure(kind: .misconfigured, error: error.protocolError)) : nil
        }
    }

    private func judge(
        _ sent: ProviderAccess.Sent,
        _ record: GrantRecord,
        _ metadata: ProviderMetadata,
        mayBeSpent: Bool
    ) async -> RefreshOutcome? {
        switch sent {
        case .lost(let error, at: _):
            return ifCurrent(.failed(RefreshFailure(kind: .passing, error: error.protocolError)))
        case .answer(.success(let response), at: let sentAt):
            return await keep(response, record, metadata, sentAt: sentAt)
        case .answer(.invalid(let invalid), at: _):
            return await refuse(
                invalid.refreshToken,
                record,
                RefreshFailure(
                    kind: .misconfigured,
                    error: ProtocolError(.providerError, invalid.reason)
                )
            )
        case .answer(.grantEnded(let body), at: _):
            return await end(body, record, mayBeSpent: mayBeSpent)
        case .answer(let answer, at: _):
            return ifCurrent(.failed(RefreshFailure(answer, host: account.issuerHost)))
        }
    }

    private func ifCurrent(_ outcome: RefreshOutcome) -> RefreshOutcome? {
        isCurrent() ? outcome : nil
    }

    // MARK: A new token

    private func keep(
        _ response: TokenResponse,
        _ record: GrantRecord,
        _ metadata: ProviderMetadata,
        sentAt: Moment
    ) async -> RefreshOutcome? {
        var verified: IDToken?
        do throws(IdentityFailure) {
            verified = try await verify(response, record, metadata)
        } catch {
            switch error {
            case .check("subject", _): return await quarantine(response, record)
            case .check(let check, let message):
                let error = ProtocolError(
                    .providerError,
                    "\(account.issuerHost) sent an ID token that fails a check (\(check)): \(message)"
                )
                return await refuse(response.refreshToken, record, RefreshFailure(kind: .misconfigured, error: error))
            case .fault(let error):
                return await refuse(response.refreshToken, record, RefreshFailure(kind: .passing, error: error))
            }
        }
        var new = record.renewed(by: response, sentAt: sentAt, now: access.clock.now)
        new.token = HeldToken(response, granted: record.scope, sentAt: sentAt, verified: verified)
        new.identity = verified?.identity ?? record.identity
        guard isCurrent() else { return await drop(response.refreshToken, metadata) }
        let needsWriting = response.refreshToken != nil || record.pending != nil || record.rotates == nil
        guard needsWriting else { return .renewed(new, isStored: false) }
        do {
            try await store.write(new.item(for: account))
        } catch {
            return ifCurrent(response.refreshToken == nil ? .renewed(new, isStored: false) : .unstored(new, error))
        }
        return ifCurrent(.renewed(new, isStored: true))
    }

    private func verify(
        _ response: TokenResponse,
        _ record: GrantRecord,
        _ metadata: ProviderMetadata
    ) async throws(IdentityFailure) -> IDToken? {
        guard let token = response.idToken, let issuer = account.issuer, let baseline = record.baseline else {
            return nil
        }
        var rules = IDTokenRules(
            .refresh(baseline),
            issuer: issuer,
            clientID: account.clientID,
            now: access.clock.now.wall
        )
        rules.algorithms = metadata.idTokenSigningAlgorithms
        rules.accessToken = response.accessToken
        return try await access.verify(token, rules: rules, metadata: metadata)
    }

    /// Nobody wants the result any more (a logout, a new login): the provider is told, the store is not.
    private func drop(_ refreshToken: Secret?, _ metadata: ProviderMetadata) async -> RefreshOutcome? {
        if let refreshToken { _ = await access.revoke(refreshToken, hint: .refreshToken, metadata: metadata) }
        return nil
    }

    // MARK: An answer that is not served

    /// The answer is not used, but its refresh token may be the only one that lives.
    private func refuse(_ refreshToken: Secret?, _ record: GrantRecord, _ failure: RefreshFailure) async
        -> RefreshOutcome?
    {
        guard isCurrent() else { return nil }
        var new = record.replacing(refreshToken)
        new.token = record.token
        do {
            try await store.write(new.item(for: account))
            return ifCurrent(.refused(new, failure))
        } catch {
            return ifCurrent(refreshToken == nil ? .failed(failure) : .unstored(new, error))
        }
    }

    private func quarantine(_ response: TokenResponse, _ record: GrantRecord) async -> RefreshOutcome? {
        guard isCurrent() else { return nil }
        var new = record.replacing(response.refreshToken)
        new.token = nil
        new.ended = .init(reason: .subject, at: access.clock.now.wall)
        // Where the store does not take it, the old item stays: its next refresh comes to the same end.
        try? await store.write(new.item(for: account))
        return ifCurrent(.quarantined(new))
    }

    /// The provider says that the grant is over. Only the token that was sent is given up: the store may hold a newer
    /// one by now.
    private func end(_ body: OAuthErrorBody, _ record: GrantRecord, mayBeSpent: Bool) async -> RefreshOutcome? {
        guard isCurrent() else { return nil }
        let end = GrantRecord.Ended(
            reason: mayBeSpent ? .lostRotation : .ended,
            oauthError: body.error,
            at: access.clock.now.wall
        )
        do throws(StoreError) {
            if let stored = try await currentRecord(record), stored.refreshToken != record.refreshToken,
                stored.refreshToken != nil
            {
                return ifCurrent(.renewed(stored, isStored: true))
            }
            guard isCurrent() else { return nil }
            try await store.write(record.tombstone(end).item(for: account))
        } catch {
            // The item stays as it is: after a restart the provider says the same again.
            return ifCurrent(.ended(end))
        }
        return ifCurrent(.ended(end))
    }
}

extension ProviderAccess.Sent {
    /// The request may have reached the provider, and its answer did not come back.
    fileprivate var isLost: Bool {
        switch self {
        case .lost(let error, at: _): error.mayHaveBeenSent && error.code != .cancelled
        case .answer(.unavailable(_, let answerLost), at: _): answerLost
        case .answer: false
        }
    }
}
