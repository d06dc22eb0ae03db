// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

extension Account {
    /// Takes over a refresh token: one refresh tells whether it is good and whom it is for, then it is stored.
    ///
    /// - Throws: what the provider or the store said; the account's grant is then as it was.
    func importGrant(_ refreshToken: Secret, scope: Scope?) async throws(ProtocolError) -> LoginResult {
        if let error = configurationFault { throw error }
        guard let configuration else { throw ProtocolError(.internalError, "the account has no configuration") }
        if let login { throw loginUnderWay(login) }
        do throws(StoreError) {
            // Where the store would refuse the grant in the end, the token is not used up.
            _ = try await ports.store.item(account: name)
        } catch {
            if error.code != .unreadable { throw error.protocolError }
        }
        let access = access(configuration)
        let metadata = try await directory.metadata(for: configuration, wire: wire, isFresh: true)
        var record = GrantRecord(
            scope: scope ?? configuration.scopes,
            destination: GrantDestination(account: configuration, wire: settings.wire, metadata: metadata),
            signedInAt: ports.clock.now.wall
        )
        record.refreshToken = refreshToken
        let flow = RefreshFlow(access: access, store: ports.store) { true }
        switch await flow.tryOut(record, refreshToken, metadata) {
        case .renewed(let renewed, isStored: _):
            return install(renewed)
        case .ended(let end):
            throw ProtocolError(
                .loginFailed,
                "the provider does not accept that refresh token",
                data: end.oauthError.map { ["oauth_error": .string($0)] } ?? [:]
            )
        case .failed(let failure), .refused(_, let failure):
            throw failure.error
        case .unstored(_, let error), .storeBlocked(let error):
            throw error.protocolError
        case .quarantined, .vanished, nil:
            throw ProtocolError(.loginFailed, "the provider's answer to that refresh token cannot be used")
        }
    }

    private func loginUnderWay(_ login: Login) -> ProtocolError {
        ProtocolError(
            .loginPending,
            "a sign-in to “\(name)” is under way; finish or cancel it first",
            data: ["account": .string(name), "login_id": .string(login.id)]
        )
    }
}
