// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// A login with an open redirect: the user can proceed, and a code may arrive.
@LoopActor struct OpenedLogin {
    /// The redirect that was opened.
    struct Redirect {
        var uri: String
        /// The listener's origin; nil for a redirect without one.
        var origin: String?
        var path: String
        var hosts: Set<String>
    }

    let prepared: PreparedLogin
    let redirect: Redirect
    let authorization: AuthorizationRequest
    /// The code is exchanged with this verifier.
    let proofKey: ProofKey
    let nonce: String

    var access: ProviderAccess { prepared.access }
    var account: AccountConfiguration { prepared.account }

    /// Whether each browser gets its own pushed request (RFC 9126).
    var isPushed: Bool { prepared.pushEndpoint != nil }

    /// Judges the requests that arrive at the listener.
    func stateMachine() -> LoginStateMachine {
        LoginStateMachine(
            path: redirect.path,
            hosts: redirect.hosts,
            pageName: prepared.attempt.unguessableText(),
            startName: prepared.attempt.unguessableText(),
            expected: .init(
                state: authorization.state,
                issuer: account.issuer,
                requiresIssuer: prepared.metadata.sendsIssuerInResponse
            ),
            takesForms: account.authorizationParameters["response_mode"] == "form_post"
        )
    }

    /// The URL that the browser opens: the request itself, or one with the pushed request's URI, which is valid for one
    /// browser.
    ///
    /// - Throws: `provider_error` or `provider_unreachable`, as the provider answered; no browser opens then (RFC 9126,
    ///   section 2.3).
    func authorizationURL() async throws(ProtocolError) -> WebURL {
        let endpoint = prepared.authorizationEndpoint
        let requestURI = try await pushed()
        do {
            guard let requestURI else { return try authorization.url(endpoint: endpoint) }
            return try authorization.url(endpoint: endpoint, requestURI: requestURI)
        } catch {
            throw error.protocolError
        }
    }

    /// - Returns: nil if there is no endpoint for it.
    private func pushed() async throws(ProtocolError) -> String? {
        guard let endpoint = prepared.pushEndpoint else { return nil }
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

    /// Adds a known cause to the failure: one scope that a provider does not know fails the whole request.
    func explained(_ failure: LoginFailure) -> LoginFailure {
        guard case .refused(let body) = failure else { return failure }
        return .refused(explained(body))
    }

    /// The same for the error alone.
    func explained(_ body: OAuthErrorBody) -> OAuthErrorBody {
        guard body.error == "invalid_scope" else { return body }
        let supported = prepared.metadata.scopesSupported
        let unlisted = authorization.scope.subtracting(supported)
        guard !supported.isEmpty, !unlisted.isEmpty else { return body }
        let hint = "the provider does not list “\(unlisted.text)”"
        return OAuthErrorBody(
            error: body.error,
            description: body.description.map { "\($0) (\(hint))" } ?? hint,
            uri: body.uri,
            suberror: body.suberror,
            numbers: body.numbers,
            status: body.status
        )
    }

    // MARK: The code

    /// Sends the code, once: even if the answer is lost, it is never sent again (RFC 6749, section 4.1.2).
    func traded(_ code: Secret) async throws(LoginFailure) -> TradedLogin {
        let endpoint: WebURL
        let request: TokenRequest
        do {
            endpoint = try prepared.metadata.require(\.tokenEndpoint, named: "token_endpoint")
            request = try TokenRequest.authorizationCode(
                code,
                redirectURI: redirect.uri,
                proofKey: proofKey,
                scope: account.codeScope(of: prepared.scope),
                resources: account.resource,
                audience: account.audience
            )
        } catch {
            throw .fault(error.protocolError)
        }
        let outcome: TokenOutcome
        do {
            outcome = try await access.send(request, to: endpoint, requested: prepared.scope)
        } catch {
            throw .fault(error)
        }
        return TradedLogin(
            prepared: prepared,
            response: try prepared.token(in: outcome),
            sentAt: outcome.sentAt,
            nonce: nonce,
            redirectURI: redirect.uri
        )
    }
}
