// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import Systemd
import TokendProtocol

extension RefreshFlow {
    /// Exchanges a provider's token that the backend has not accepted yet, without a refresh: the last refresh brought
    /// it, and the backend was unavailable.
    ///
    /// - Returns: nil if a refresh is needed.
    func tradeHeld(_ known: GrantRecord, isMarked: Bool) async -> RefreshOutcome?? {
        guard let exchange = account.exchange, let held = known.untraded, known.pending == nil, !isMarked,
            access.isTradable(held, at: access.clock.now)
        else { return nil }
        return .some(ifWanted(await trade(known, held, exchange)))
    }

    /// A successful answer of a provider whose tokens are exchanged: a new refresh token is durable before the access
    /// token is sent to the backend.
    func keepAndTrade(
        _ renewed: GrantRecord,
        by exchange: ApplicationExchange,
        _ attempt: Attempt
    ) async -> RefreshOutcome? {
        let new = renewed.awaitingTrade(after: attempt.record.token)
        guard let held = new.untraded else { preconditionFailure("A renewed grant has a token.") }
        let isRotated = new.refreshToken != attempt.record.refreshToken
        let refreshToken = isRotated ? new.refreshToken : nil
        if isRotated || attempt.isMarked || attempt.record.rotates == nil || attempt.record.ended != nil {
            do {
                guard try await write(new) else { return await drop(refreshToken, attempt) }
            } catch {
                guard isWanted else { return await drop(refreshToken, attempt) }
                let failure = RefreshFailure(kind: .passing, error: error.protocolError)
                if isRotated, !attempt.isSecured { return .unstored(new, error, failure) }
            }
        }
        let outcome = await trade(new, held, exchange)
        return isWanted ? outcome : await drop(refreshToken, attempt)
    }

    private func trade(_ record: GrantRecord, _ held: HeldToken, _ exchange: ApplicationExchange) async
        -> RefreshOutcome
    {
        switch await access.trade(held, by: exchange) {
        case .done(let token):
            return .renewed(record.traded(for: token), isStored: false)
        case .later(let failure):
            return .refused(record, failure)
        case .refused(let failure):
            var record = record
            record.untraded = nil
            return .refused(record, failure)
        }
    }
}
