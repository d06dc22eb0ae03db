// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

/// One token for the client itself (RFC 6749, section 4.4): requested, stored, then reported.
///
/// No refresh token is spent, so a lost answer costs nothing, and a token that the store refuses is served all the
/// same.
@LoopActor struct ClientCredentialsFlow: TokenFlow {
    let access: ProviderAccess
    let store: any CredentialStore
    /// The variant that the token is for; nil: the account's own.
    var variant: TokenVariant?
    /// Whether the token is still wanted; changes the item.
    let work: GrantWork
    /// The part of the daemon's own settings that a grant's destination records.
    let wire: DaemonConfiguration.Wire

    private var account: AccountConfiguration { access.account }

    /// - Returns: nil if the work is no longer current.
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
            let outcome = try await access.send(request, to: endpoint, requested: variant?.scope ?? account.scopes)
            guard work.isCurrent else { return nil }
            return await judge(outcome, known, metadata)
        } catch {
            throw .configuration(error)
        }
    }

    private func judge(
        _ outcome: TokenOutcome,
        _ known: GrantRecord,
        _ metadata: ProviderMetadata
    ) async -> RefreshOutcome? {
        switch outcome.verdict {
        case .token(let response):
            guard let variant else { return await keep(response, known, metadata, sentAt: outcome.sentAt) }
            if let failure = variant.fault(of: response, host: account.issuerHost) { return .failed(failure, nil) }
            let granted = variant.scope ?? account.scopes
            let token = HeldToken(response, granted: granted, sentAt: outcome.sentAt, verified: nil)
            return .derived(DerivedToken(token, for: variant), known, isStored: false)
        case .unusable, .refused, .failed:
            return outcome.failure(of: account.tokenSource, for: variant).map { .failed($0, nil) }
        }
    }

    private func keep(
        _ response: TokenResponse,
        _ known: GrantRecord,
        _ metadata: ProviderMetadata,
        sentAt: Moment
    ) async -> RefreshOutcome? {
        var record = GrantRecord.withoutUser(account, wire: wire, metadata: metadata, at: known.signedInAt)
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
