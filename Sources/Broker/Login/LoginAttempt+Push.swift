// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension LoginAttempt {
    /// What the browser opens: the request itself, or the name that the provider gave to the pushed one, which serves
    /// one browser.
    ///
    /// - Throws: `provider_error` or `provider_unreachable`, as the provider answered; no browser opens then
    ///   (RFC 9126, section 2.3).
    func authorizationURL() async throws(ProtocolError) -> WebURL {
        guard let sent else { preconditionFailure("A login without a request has no URL.") }
        let endpoint = sent.prepared.authorizationEndpoint
        let requestURI = try await push(sent.authorization, to: sent.prepared.pushEndpoint)
        do {
            guard let requestURI else { return try sent.authorization.url(endpoint: endpoint) }
            return try sent.authorization.url(endpoint: endpoint, requestURI: requestURI)
        } catch {
            throw error.protocolError
        }
    }

    /// - Returns: nil where there is nowhere to push it.
    private func push(
        _ authorization: AuthorizationRequest,
        to endpoint: WebURL?
    ) async throws(ProtocolError) -> String? {
        guard let endpoint else { return nil }
        let authentication = try await access.authentication()
        let request: HTTPRequest
        do {
            request = try authorization.pushed(to: endpoint, authentication: authentication)
        } catch {
            throw error.protocolError
        }
        let answer: PushedAuthorizationAnswer
        do {
            answer = PushedAuthorizationAnswer.read(
                try await access.transport.send(request, wire: access.wire),
                sent: authentication.secrets(clientID: account.clientID)
            )
        } catch {
            throw error.protocolError
        }
        let host = account.issuerHost
        switch answer {
        case .accepted(let requestURI, expiresIn: _):
            return requestURI
        case .refused(let body):
            var error = ProtocolError(
                .providerError,
                "\(host) refuses the sign-in's request: \(explained(body).message)"
            )
            if !body.error.isEmpty { error.data["oauth_error"] = .string(body.error) }
            if let status = body.status { error.data["http_status"] = .integer(Int64(status)) }
            throw error
        case .unavailable(let reason):
            throw ProtocolError(.providerUnreachable, "\(host): \(reason)")
        case .invalid(let reason):
            throw ProtocolError(.providerError, "\(host): \(reason)")
        }
    }
}
