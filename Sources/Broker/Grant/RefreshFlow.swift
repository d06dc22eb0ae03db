// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

/// One refresh from the store to the store: read, mark, send, check, keep.
///
/// It runs as a task and changes nothing but the store. Its outcome goes back to the account as an event, and is
/// dropped there if the generation has changed. The order of the writes makes it safe against crashes
/// (docs/reliability.md):
///
/// 1. The item is read again: another program may have replaced the refresh token, and only the stored one is sent.
/// 2. The mark `pending` is durable before the token is sent, so that the next daemon knows that it may be spent. It is
///    left out only if the provider is known not to rotate.
/// 3. If the ID token has to wait for the provider's keys, the new refresh token is written first, alone.
/// 4. The new refresh token and the access token are one write, which removes the mark. The account is told after it.
///
/// Each write goes through `work`, which makes none for work that is not current, and corrects the store after one that
/// ended too late. Any other write could bring back a grant that the user has signed out of.
@LoopActor struct RefreshFlow: TokenFlow {
    /// One use of a refresh token.
    struct Attempt {
        var record: GrantRecord
        var refreshToken: Secret
        var metadata: ProviderMetadata
        var endpoint: WebURL
        /// Whether the store's item says that a refresh is under way.
        var isMarked: Bool
        /// Whether the token may be spent: it was sent before, and no answer came back.
        var isUncertain: Bool
        /// Whether the answer's refresh token is already stored, without the rest of the answer.
        var isSecured = false

        /// The mark of a token that may be spent; nil if it certainly is not, or if it can be used repeatedly.
        var doubt: GrantRecord.Pending? {
            isUncertain && record.rotates != false ? record.pending : nil
        }
    }

    var access: ProviderAccess
    let store: any CredentialStore
    /// The variant that the token is for; nil: the account's own.
    var variant: TokenVariant?
    /// Whether the result is still wanted. It changes the item, and holds it for each write alone, never while waiting
    /// for the provider: a login must not wait for that.
    let work: GrantWork
    /// Called if the store returned an older item than it was given last.
    var onRollback: @LoopActor () -> Void = {}
    /// Called with the reason, as a sentence, if an ID token of a renewal is not kept.
    var onDroppedIDToken: @LoopActor (String) -> Void = { _ in }

    var account: AccountConfiguration { access.account }
    var isWanted: Bool { work.isCurrent }

    /// - Returns: nil if the work is no longer current.
    func run(_ known: GrantRecord) async -> RefreshOutcome? {
        do throws(StoreError) {
            guard let stored = try await storedRecord() else { return ifWanted(.vanished) }
            guard isWanted else { return nil }
            guard let token = known.refreshToken else { return .replaced(stored) }
            var isMarked = stored.pending != nil
            if known.isLater(than: stored) {
                // An older refresh token would be a spent one: it must not be sent.
                guard try await write(known) else { return nil }
                onRollback()
                isMarked = known.pending != nil
            } else if stored.refreshToken != token || stored.isOver {
                return .replaced(stored)
            }
            if variant == nil, let outcome = await tradeHeld(known, isMarked: isMarked) { return outcome }
            return try await refresh(known, token, isMarked: isMarked)
        } catch {
            return ifWanted(.storeBlocked(error))
        }
    }

    /// The store's current record: another program may have changed it.
    func storedRecord() async throws(StoreError) -> GrantRecord? {
        guard let item = try await store.item(account: account.name) else { return nil }
        return try GrantRecord.read(item, at: access.clock.now)
    }

    private func refresh(
        _ known: GrantRecord,
        _ token: Secret,
        isMarked: Bool
    ) async throws(StoreError) -> RefreshOutcome? {
        let metadata: ProviderMetadata
        let endpoint: WebURL
        do throws(ProtocolError) {
            (metadata, endpoint) = try await access.tokenEndpoint()
        } catch {
            let kind: RefreshFailure.Class = error.kind == .providerError ? .misconfigured : .passing
            return ifWanted(.failed(RefreshFailure(kind: kind, error: error), known.pending))
        }
        let access: ProviderAccess
        do throws(ClientFault) {
            access = try await self.access.identified()
        } catch {
            // Nothing was sent or marked: the grant is unchanged.
            switch error {
            case .store(let error): throw error
            case .configuration(let error):
                return ifWanted(.failed(RefreshFailure(kind: .misconfigured, error: error), known.pending))
            }
        }
        guard isWanted else { return nil }
        if let seconds = access.directory.secondsToWait(for: endpoint) {
            return .failed(RefreshFailure(waiting: seconds, host: account.issuerHost), known.pending)
        }
        var attempt = Attempt(
            record: known,
            refreshToken: token,
            metadata: metadata,
            endpoint: endpoint,
            isMarked: isMarked,
            isUncertain: known.pending != nil
        )
        attempt.record.pending = known.pending ?? .init(generation: known.generation, sentAt: access.clock.now.wall)
        if known.rotates != false, !isMarked {
            guard try await write(attempt.record) else { return nil }
            attempt.isMarked = true
        }
        var flow = self
        flow.access = access
        return await flow.send(attempt)
    }

    private func send(_ first: Attempt) async -> RefreshOutcome? {
        var attempt = first
        do throws(ProtocolError) {
            let sent = try await dispatch(&attempt) { isWanted }
            return await judge(sent, attempt)
        } catch {
            let concernsVariantAlone = variant != nil && !canAsk(attempt)
            return ifWanted(
                .failed(
                    RefreshFailure(kind: .misconfigured, error: error, concernsVariantAlone: concernsVariantAlone),
                    attempt.doubt
                )
            )
        }
    }

    /// Sends the refresh token; if the answer is lost, once more. An answer that arrived but cannot be read is not
    /// lost: sent again, the token would look stolen.
    ///
    /// - Parameter isWanted: whether it may be sent once more.
    func dispatch(
        _ attempt: inout Attempt,
        isWanted: @LoopActor () -> Bool
    ) async throws(ProtocolError) -> TokenOutcome {
        let request: TokenRequest
        do { request = try self.request(attempt) } catch { throw error.protocolError }
        let requested = variant?.scope ?? attempt.record.scope
        let sent = try await access.send(request, to: attempt.endpoint, requested: requested)
        guard sent.mayHaveSpent else { return sent }
        let isFirst = !attempt.isUncertain
        attempt.isUncertain = true
        guard sent.isLost, isFirst, isWanted() else { return sent }
        // The lost answer may have held a new token: retry once, at once, within the providers' grace period.
        return try await access.send(request, to: attempt.endpoint, requested: requested)
    }

    private func judge(_ outcome: TokenOutcome, _ attempt: Attempt) async -> RefreshOutcome? {
        switch outcome.verdict {
        case .token(let response):
            return await keep(response, attempt, sentAt: outcome.sentAt)
        case .unusable(let invalid, let failure) where !invalid.isUnread || invalid.refreshToken != nil:
            return await refuse(invalid.refreshToken, attempt, failure)
        case .refused(.grantEnded, let body, _) where variant == nil || body.endsWholeGrant:
            return await end(body, attempt)
        case .unusable, .refused, .failed:
            let failure = outcome.failure(of: .refreshToken, for: variant)
            return failure.flatMap { ifWanted(.failed($0, attempt.doubt)) }
        }
    }

    func ifWanted(_ outcome: RefreshOutcome) -> RefreshOutcome? {
        isWanted ? outcome : nil
    }

    /// Writes the account's item durably, if the work is current.
    ///
    /// - Returns: whether the account still waits for this refresh.
    func write(_ record: GrantRecord) async throws(StoreError) -> Bool {
        try await work.withItem { () async throws(StoreError) in try await writeHeld(record) }
    }

    /// The same while the item is held already.
    func writeHeld(_ record: GrantRecord) async throws(StoreError) -> Bool {
        try await work.change { () async throws(StoreError) in try await store.write(record.item(for: account)) }
    }
}
