// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// A login after its checks with the store and the provider; nothing is open yet.
@LoopActor struct PreparedLogin {
    var attempt: LoginAttempt
    /// When the login began; the provider's keys must not be older.
    var beganAt: BootInstant
    var metadata: ProviderMetadata
    /// The first endpoint: the authorization endpoint, or the device authorization endpoint.
    var authorizationEndpoint: WebURL
    /// The endpoint for the pushed request; nil if the browser carries the request itself.
    var pushEndpoint: WebURL?
    /// The account's grant, or the tombstone of its last one.
    var previous: GrantRecord?
    /// The redirects, in order of preference.
    var redirects: [RedirectURI]
    var scope: Scope
    /// The part of it that the user has added to the account's file.
    var addedScope: Scope
    /// The client of an account that names none, if it is registered already.
    var registration: ClientRegistration?

    var access: ProviderAccess { attempt.access }
    var account: AccountConfiguration { access.account }
    var parameters: LoginParameters { attempt.parameters }

    /// The client of the account's grant: its registration is kept.
    var heldClientID: String? { previous.flatMap { $0.isOver ? nil : $0.destination.clientID } }

    /// Opens the first usable redirect; only a loopback one has a listener.
    func listen(
        with listening: any RedirectListening,
        handler: @escaping RedirectHandler
    ) throws(ProtocolError) -> (listener: (any RedirectListener)?, redirect: OpenedLogin.Redirect) {
        var faults: [String] = []
        for candidate in redirects {
            guard case .loopback(let host, let port) = candidate.kind else {
                return (nil, OpenedLogin.Redirect(uri: candidate.url.text, path: candidate.url.path, hosts: []))
            }
            do throws(RedirectFault) {
                let listener = try listening.open(host, port: port, handler: handler)
                let redirect = OpenedLogin.Redirect(
                    uri: candidate.text(port: listener.port),
                    origin: "http://\(host.rawValue):\(listener.port)",
                    path: candidate.url.path,
                    hosts: LoginStateMachine.hosts(of: host, port: listener.port)
                )
                return (listener, redirect)
            } catch {
                faults.append(error.message)
            }
        }
        throw ProtocolError(
            .configInvalid,
            "tokend cannot receive the browser's redirect: \(faults.joined(separator: "; "))",
            data: ["file": .string(account.file), "member": "redirect_uri"]
        )
    }

    /// The login with an open redirect: with a client that the provider knows, and with the request for the browser. If
    /// the account names no client, one is registered for that redirect.
    func opened(at redirect: OpenedLogin.Redirect) async throws(ProtocolError) -> OpenedLogin {
        var prepared = self
        if account.registersClient {
            prepared.attempt.access = try await attempt.registrar.client(
                registration,
                redirectURI: redirect.uri,
                scope: scope,
                metadata: metadata,
                held: heldClientID
            )
        }
        return prepared.request(redirect)
    }

    private func request(_ redirect: OpenedLogin.Redirect) -> OpenedLogin {
        let proofKey = ProofKey(entropy: attempt.entropy.bytes(ProofKey.entropyLength))
        let nonce = attempt.unguessableText()
        var request = AuthorizationRequest(
            clientID: account.clientID,
            redirectURI: redirect.uri,
            scope: scope,
            state: attempt.unguessableText(),
            nonce: account.issuer == nil ? nil : nonce,
            proofKey: proofKey
        )
        request.dialect = account.dialect
        request.loginHint = loginHint
        request.prompt = AuthorizationRequest.prompt(
            asked: parameters.prompt,
            configured: account.authorizationParameters["prompt"],
            scope: scope,
            consents: asksConsent,
            holdsGrant: previous?.isGranted(to: account) == true && previous?.renewable == true
        )
        request.acrValues = parameters.acrValues
        request.maxAge = parameters.maxAge
        request.resources = account.resource
        request.audience = account.audience
        request.additional = account.authorizationParameters
        return OpenedLogin(
            prepared: self,
            redirect: redirect,
            authorization: request,
            proofKey: proofKey,
            nonce: nonce
        )
    }

    /// Whether to ask for consent, as OpenID Connect requires. Microsoft's providers give offline access without, and
    /// there it makes users need an administrator.
    private var asksConsent: Bool {
        if let isWanted = account.asksConsent { return isWanted }
        let places = [account.issuer?.url, authorizationEndpoint].compactMap(\.self)
        return !places.contains(where: \.isMicrosofts)
    }

    /// The user that the provider should offer: the requested one, else the account's, so that another session in the
    /// browser is not used by mistake.
    private var loginHint: String? {
        if let hint = parameters.loginHint { return hint }
        let isOpen =
            parameters.force || parameters.hidesPerson || account.authorizationParameters["login_hint"] != nil
        return isOpen ? nil : previous?.identity
    }

    /// The token of the provider's answer. The refresh token of an unusable answer is revoked.
    func token(in outcome: TokenOutcome) throws(LoginFailure) -> TokenResponse {
        if case .unusable(let invalid, _) = outcome.verdict { discard([invalid.refreshToken]) }
        return try outcome.signedIn()
    }

    /// Revokes at the provider, in the background, a grant that is not kept.
    ///
    /// - Parameter tokens: the refresh token, then the access token.
    func discard(_ tokens: [Secret?]) {
        let (access, metadata) = (access, metadata)
        Task.onLoop {
            for (token, hint) in zip(tokens, [RevocationRequest.Hint.refreshToken, .accessToken]) {
                guard let token else { continue }
                _ = await access.revoke(token, hint: hint, metadata: metadata)
            }
        }
    }
}
