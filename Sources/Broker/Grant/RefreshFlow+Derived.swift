// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

extension RefreshFlow {
    /// The request for the wanted token. Unless a client names a scope, it is left out (RFC 6749, section 6).
    func request(_ attempt: Attempt) throws(OAuthError) -> TokenRequest {
        try TokenRequest.refresh(
            attempt.refreshToken,
            scope: variant == nil ? account.renewalScope(granted: attempt.record.scope) : variant?.scope,
            redirectURI: account.dialect.refreshSendsRedirectURI ? attempt.record.redirectURI : nil,
            resources: variant?.resources ?? account.resource,
            audience: variant == nil ? account.audience : variant?.audience
        )
    }

    /// Whether such a request can be made at all: the account's own parameters may conflict with the client's.
    func canAsk(_ attempt: Attempt) -> Bool {
        (try? request(attempt).adding(account.tokenParameters)) != nil
    }

    /// Keeps a successful answer to a refresh for a variant: the refresh token is the grant's, the scope is the
    /// variant's.
    func keep(
        _ response: TokenResponse,
        for variant: TokenVariant,
        _ attempt: Attempt,
        sentAt: Moment,
        verified: IDToken?
    ) async -> RefreshOutcome? {
        if let failure = variant.fault(of: response, host: account.issuerHost) {
            return await refuse(response.refreshToken, attempt, failure)
        }
        var new = attempt.record.renewed(by: response, for: variant, sentAt: sentAt)
        new.identity = verified?.identity ?? attempt.record.identity
        // A missing scope is the requested one (RFC 6749, section 5.1).
        let granted = variant.scope ?? attempt.record.scope
        var token = HeldToken(response, granted: granted, sentAt: sentAt, verified: verified)
        if variant.choosesResource { token.scope = token.scope.union(token.scope.covering(granted)) }
        return await keep(new, DerivedToken(token, for: variant), attempt)
    }
}

extension TokenVariant {
    /// Why an answer is not served: the token covers more than was requested.
    func fault(of response: TokenResponse, host: String) -> RefreshFailure? {
        guard !choosesResource, let scope, let given = response.scope, !scope.contains(all: given) else { return nil }
        let error = ProtocolError(
            .providerError,
            "\(host) was asked for a token for “\(scope.text)” alone and answered with a wider one, "
                + "which also covers “\(given.subtracting(scope).text)”; it is not served",
            data: ["granted": .string(given.text), "requested": .string(scope.text)]
        )
        return RefreshFailure(kind: .misconfigured, error: error, concernsVariantAlone: true)
    }
}
