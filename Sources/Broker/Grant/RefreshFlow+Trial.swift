// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

extension RefreshFlow {
    /// Tries a refresh token from elsewhere; nothing is written, and whatever the account holds stays as it is.
    ///
    /// - Parameter record: the grant as far as it is known, with the refresh token in it.
    /// - Returns: the grant as the provider's answer leaves it.
    func tryOut(_ record: GrantRecord, _ refreshToken: Secret) async throws(LoginFailure) -> GrantRecord {
        let result: Result<GrantRecord, LoginFailure>
        do throws(ProtocolError) {
            let (metadata, endpoint) = try await access.tokenEndpoint()
            var attempt = Attempt(
                record: record,
                refreshToken: refreshToken,
                metadata: metadata,
                endpoint: endpoint,
                isMarked: false,
                isUncertain: false
            )
            result = try await accept(try await dispatch(&attempt), attempt)
        } catch {
            throw .fault(error)
        }
        return try result.get()
    }

    private func accept(
        _ sent: ProviderAccess.Sent,
        _ attempt: Attempt
    ) async throws(ProtocolError) -> Result<GrantRecord, LoginFailure> {
        switch sent {
        case .lost(let error, at: _):
            throw error.protocolError
        case .answer(.grantEnded(let body), at: _):
            return .failure(.refused(body))
        case .answer(.success(let response), at: let sentAt):
            var record = attempt.record.renewed(by: response, sentAt: sentAt)
            var verified: IDToken?
            do throws(IdentityFailure) {
                verified = try await identify(response, attempt)
            } catch {
                discard(response.refreshToken, attempt)
                switch error {
                case .otherSubject: return .failure(.check("subject", message: "it is about another person"))
                case .check(let check, let message): return .failure(.check(check, message: message))
                case .fault(let error): throw error
                }
            }
            record.subject = verified?.subject
            record.identity = verified?.identity
            record.identityToken = verified
            record.token = HeldToken(response, granted: record.scope, sentAt: sentAt, verified: verified)
            return .success(record)
        case .answer(let answer, at: _):
            if case .invalid(let invalid) = answer { discard(invalid.refreshToken, attempt) }
            throw RefreshFailure(answer, at: account).error
        }
    }

    /// Revokes, in the background, a refresh token that replaced the tried one and is not kept.
    private func discard(_ refreshToken: Secret?, _ attempt: Attempt) {
        guard let refreshToken, refreshToken != attempt.refreshToken else { return }
        let access = access
        Task.onLoop { _ = await access.revoke(refreshToken, hint: .refreshToken, metadata: attempt.metadata) }
    }

    /// The user of the grant. Nothing is known of them before, so the verified ID token decides.
    private func identify(_ response: TokenResponse, _ attempt: Attempt) async throws(IdentityFailure) -> IDToken? {
        guard let token = response.idToken, let issuer = account.issuer else { return nil }
        let claims = try? JSONWebSignature(compact: token).claims()
        guard let subject = claims?["sub"]?.string else {
            throw .check("subject", "the ID token names nobody")
        }
        return try await verify(token, of: response, attempt, issuer, IDTokenBaseline(subject: subject))
    }
}
