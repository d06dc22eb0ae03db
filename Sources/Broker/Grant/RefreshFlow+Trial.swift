// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

extension RefreshFlow {
    /// The result of trying a refresh token from elsewhere.
    struct Trial {
        /// The grant after the answer.
        var record: GrantRecord
        /// Why only its refresh token is usable.
        var fault: ProtocolError?
    }

    /// Tries a refresh token from elsewhere; nothing is written, and the account's grant is not changed.
    ///
    /// - Parameter record: the grant as far as it is known, with the refresh token in it.
    /// - Returns: the grant after the provider's answer.
    func tryOut(_ record: GrantRecord, _ refreshToken: Secret) async throws(LoginFailure) -> Trial {
        let result: Result<Trial, LoginFailure>
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
            result = try await accept(try await dispatch(&attempt) { true }, attempt)
        } catch {
            throw .fault(error)
        }
        return try result.get()
    }

    private func accept(
        _ outcome: TokenOutcome,
        _ attempt: Attempt
    ) async throws(ProtocolError) -> Result<Trial, LoginFailure> {
        switch outcome.verdict {
        case .refused(.grantEnded, let body, _), .refused(.userWanted, let body, _):
            return .failure(.refused(body))
        case .token(let response):
            let sentAt = outcome.sentAt
            var record = attempt.record.renewed(by: response, sentAt: sentAt)
            let user: (subject: String, token: IDToken?)?
            do throws(IdentityFailure) {
                user = try await identify(response, attempt)
            } catch {
                discard(response.refreshToken, attempt)
                switch error {
                case .otherSubject: return .failure(.check("subject", message: "it is about another user"))
                case .check(let check, let message): return .failure(.check(check, message: message))
                case .fault(let error): throw error
                }
            }
            record.subject = user?.subject
            record.identity = user?.token?.identity
            record.identityToken = user?.token
            record.token = HeldToken(response, granted: record.scope, sentAt: sentAt, verified: user?.token)
            return .success(Trial(record: record))
        case .unusable(let invalid, let failure) where invalid.refreshToken != nil:
            // The given token is spent: its replacement is all that remains of the grant.
            return .success(Trial(record: attempt.record.replacing(invalid.refreshToken), fault: failure.error))
        case .unusable(_, let failure), .refused(_, _, let failure), .failed(let failure):
            throw failure.error
        }
    }

    /// Revokes, in the background, a refresh token that replaced the tried one and is not kept.
    private func discard(_ refreshToken: Secret?, _ attempt: Attempt) {
        guard let refreshToken, refreshToken != attempt.refreshToken else { return }
        let access = access
        Task.onLoop { _ = await access.revoke(refreshToken, hint: .refreshToken, metadata: attempt.metadata) }
    }

    /// Checks that an ID token may fail while it still identifies the user: some providers repeat the login's at each
    /// refresh, long after its end.
    private static let passable: [IDTokenError.Check] = [
        .expiry, .issuedAt, .accessTokenHash, .authenticationTime, .authenticationClass,
    ]

    /// The user of the grant. There is no earlier ID token to compare with, so this one counts once its signature is
    /// verified.
    ///
    /// - Returns: the subject, and the ID token if it is to be kept.
    private func identify(
        _ response: TokenResponse,
        _ attempt: Attempt
    ) async throws(IdentityFailure) -> (subject: String, token: IDToken?)? {
        guard let token = response.idToken, let issuer = account.issuer else { return nil }
        let claims = try? JSONWebSignature(compact: token).claims()
        guard let subject = claims?["sub"]?.string else {
            throw .check("subject", "the ID token names no user")
        }
        let baseline = IDTokenBaseline(subject: subject)
        let rules = access.idTokenRules(.refresh(baseline), issuer, attempt.metadata, response)
        do throws(IdentityFailure) {
            return (subject, try await access.verify(token, rules: rules, metadata: attempt.metadata))
        } catch {
            guard case .check(let check, _) = error, Self.passable.contains(where: { $0.rawValue == check }) else {
                throw error
            }
        }
        do { try IDToken.checkUnverified(token, rules: rules) } catch {
            throw .check(error.check.rawValue, error.message)
        }
        return (subject, nil)
    }
}
