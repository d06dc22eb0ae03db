// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

/// The application's own token of a new grant (`exchange` in the account's file).
enum ApplicationGrant {
    /// The backend gave one.
    case held(HeldToken)
    /// The backend is away: the provider's token is kept, and sent to it again.
    case owed(HeldToken)

    /// Puts it into the grant, instead of the provider's token.
    func adopt(into record: inout GrantRecord) {
        switch self {
        case .held(let token): record = record.traded(for: token)
        case .owed: record = record.awaitingTrade(after: nil)
        }
    }
}

extension LoginAttempt {
    /// Sends the provider's token to the application's backend.
    ///
    /// - Throws: if the backend refuses or answers without a token, or if it is away and there is no refresh token: then
    ///   the login has failed, and the user is told. A grant that can be renewed is kept during an outage.
    func application(
        _ response: TokenResponse,
        _ prepared: Prepared,
        _ verified: IDToken?,
        sentAt: Moment
    ) async throws(LoginFailure) -> ApplicationGrant? {
        guard let exchange = account.exchange else { return nil }
        let granted = response.scope ?? prepared.scope
        let held = HeldToken(response, granted: granted, sentAt: sentAt, verified: verified)
        switch await access.trade(held, by: exchange) {
        case .done(let token): return .held(token)
        case .later(let failure) where failure.error.kind == .providerError: throw .fault(failure.error)
        case .later where response.refreshToken != nil: return .owed(held)
        case .later(let failure): throw .fault(failure.error)
        case .refused(let failure) where failure.error.kind == .loginRequired:
            throw .check("id_token", message: "it holds no \(exchange.subject.rawValue) for \(exchange.url.host)")
        case .refused(let failure): throw .fault(failure.error)
        }
    }
}
