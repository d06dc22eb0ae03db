// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

/// One token for the client itself (RFC 6749, section 4.4): requested, stored, then reported.
///
/// There is nothing to lose: no refresh token is spent, so an answer that does not come back costs nothing, and a store
/// that refuses the token does not keep it from clients.
@LoopActor struct OwnTokenFlow {
    let access: ProviderAccess
    let store: any CredentialStore
    /// The combination that the token is for; nil: the account's own.
    var variant: TokenVariant?
    /// Whether the token is still wanted; the item is changed by it.
    let work: GrantWork
    /// The part of the daemon's own settings that a grant's destination records.
    let wire: DaemonConfiguration.Wire

    private var account: AccountConfiguration { access.account }

    /// - Returns: nil where the account has moved on.
    func run(_ known: GrantRecord) async -> RefreshOutcome? {
        do throws(ClientFault) {
            let access = try await access.identified()
            guard work.isCurrent else { return nil }
            return try await ask(access, known)
        } catch {
            guard work.isCurrent else { return nil }
            switch error {
            case .store(let error): return .storeBlocked(error)
            case .configuration(let error): return .failed(Self.failure(error), nil)
            }
        }
    }

    private static func failure(_ error: ProtocolError) -> RefreshFailure {
        RefreshFailure(kind: error.kind == .providerUnreachable ? .passing : .misconfigured, error: error)
    }

    private func ask(_ access: ProviderAccess, _ known: GrantRecord) async throws(ClientFault) -> RefreshOutcome? {
        do throws(ProtocolError) {
            let (metadata, endpoint) = try await access.tokenEndpoint()
            if let seconds = access.directory.secondsToWait(for: endpoint) {
                return .failed(RefreshFailure(waiting: seconds, host: account.issuerHost), nil)
            }
            let request: TokenRequest
            do {
                request = try .clientCredentials(
                    scope: variant?.scope ?? account.scopes,
                    resources: variant?.resources ?? account.resource,
                    audience: variant == nil ? account.audience : variant?.audience
                )
            } catch {
                throw error.protocolError
            }
            guard work.isCurrent else { return nil }
            let sent = try await access.send(request, to: endpoint, requested: variant?.scope ?? account.scopes)
            guard work.isCurrent else { return nil }
            return await judge(sent, known, metadata, endpoint)
        } catch {
            throw .configuration(error)
        }
    }

    private func judge(
        _ sent: ProviderAccess.Sent,
        _ known: GrantRecord,
        _ metadata: ProviderMetadata,
        _ endpoint: WebURL
    ) async -> RefreshOutcome? {
        switch sent {
        case .lost(let error, at: _):
            let kind: RefreshFailure.Class = error.code == .tls ? .untrusted : .passing
            return .failed(RefreshFailure(kind: kind, error: error.protocolError), nil)
        case .answer(.success(let response), at: let sentAt):
            guard let variant else { return await keep(response, known, metadata, sentAt: sentAt) }
            if let failure = variant.fault(of: response, host: account.issuerHost) { return .failed(failure, nil) }
            let granted = variant.scope ?? account.scopes
            let token = HeldToken(response, granted: granted, sentAt: sentAt, verified: nil)
            return .derived(DerivedToken(token, for: variant), known, isStored: false)
        case .answer(let answer, at: _):
            if case .throttled(_, retryAfter: let wait?) = answer { access.directory.coolDown(endpoint, for: wait) }
            var failure = RefreshFailure(answer, at: account)
            // There is no grant that could have ended: what the provider refuses is the client, or what it asks for.
            if failure.kind == .unknown || failure.kind == .refused { failure.kind = .misconfigured }
            if variant != nil { failure = failure.ofDerived(answer) }
            return .failed(failure, nil)
        }
    }

    private func keep(
        _ response: TokenResponse,
        _ known: GrantRecord,
        _ metadata: ProviderMetadata,
        sentAt: Moment
    ) async -> RefreshOutcome? {
        var record = GrantRecord.own(account, wire: wire, metadata: metadata, at: known.signedInAt)
        record.scope = response.scope ?? account.scopes
        record.refreshedAt = sentAt.wall
        // A refresh token in such an answer is ignored (RFC 6749, section 4.4.3).
        record.token = HeldToken(response, granted: account.scopes, sentAt: sentAt, verified: nil)
        do throws(StoreError) {
            let isStored = try await work.withItem { () async throws(StoreError) in
                try await work.change { () async throws(StoreError) in try await store.write(record.item(for: account))
                }
            }
            return isStored ? .renewed(record, isStored: true) : nil
        } catch {
            return work.isCurrent ? .renewed(record, isStored: false) : nil
        }
    }
}

extension GrantRecord {
    /// What an account holds that gets tokens for itself, before it has one.
    ///
    /// - Parameter time: unix seconds.
    static func own(
        _ account: AccountConfiguration,
        wire: DaemonConfiguration.Wire,
        metadata: ProviderMetadata = ProviderMetadata(),
        at time: Int64
    ) -> GrantRecord {
        let destination = GrantDestination(account: account, wire: wire, metadata: metadata)
        var record = GrantRecord(scope: account.scopes, destination: destination, signedInAt: time)
        record.ownScope = account.scopes
        return record
    }
}
