// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// What a login does at the provider and in the store: everything between the listener and the user.
@LoopActor struct LoginAttempt {
    /// What is known before a browser opens.
    struct Prepared {
        /// When the login began; the provider's keys are to be of this time or later.
        var beganAt: BootInstant
        var metadata: ProviderMetadata
        /// Where the login begins: the authorization endpoint, or the device authorization endpoint.
        var authorizationEndpoint: WebURL
        /// Where the request is pushed to; nil where the browser carries it itself.
        var pushEndpoint: WebURL?
        /// The grant that the account holds, or what is left of its last one.
        var previous: GrantRecord?
        /// The redirects, in order of preference.
        var redirects: [RedirectURI]
        var scope: Scope
        /// What of it the user has added to what the account's file says.
        var addedScope: Scope
        /// The client of an account that names none, where it is registered already.
        var registration: ClientRegistration?

        /// The client of the grant that the account holds: its registration stays with it.
        var heldClientID: String? { previous.flatMap { $0.isOver ? nil : $0.destination.clientID } }
    }

    /// The redirect that was opened.
    struct Redirect {
        var uri: String
        /// Where the listener is; nil for a redirect without one.
        var origin: String?
        var path: String
        var hosts: Set<String>
    }

    /// What the code is exchanged with.
    struct Sent {
        var prepared: Prepared
        var authorization: AuthorizationRequest
        var redirectURI: String
        var proofKey: ProofKey
        var nonce: String
    }

    var access: ProviderAccess
    /// Sent when a client is registered.
    var softwareVersion = ""
    let store: any CredentialStore
    let entropy: any Entropy
    let parameters: LoginParameters
    /// The part of the daemon's own settings that a grant's destination records.
    let wire: DaemonConfiguration.Wire
    /// Serialises writes of the account's item, and use of the held refresh token.
    let locks: GrantLocks
    /// Which private-use schemes the desktop gives to `tokenctl callback`.
    let handlers: any CallbackHandling
    /// Whether the user has signed out of what the store holds, and only its removal is pending.
    let isForgotten: @LoopActor () -> Bool
    private(set) var sent: Sent?

    init(
        access: ProviderAccess,
        store: any CredentialStore,
        entropy: any Entropy,
        parameters: LoginParameters,
        wire: DaemonConfiguration.Wire,
        locks: GrantLocks,
        handlers: any CallbackHandling,
        isForgotten: @escaping @LoopActor () -> Bool
    ) {
        self.access = access
        self.store = store
        self.entropy = entropy
        self.parameters = parameters
        self.wire = wire
        self.locks = locks
        self.handlers = handlers
        self.isForgotten = isForgotten
    }

    var account: AccountConfiguration { access.account }

    // MARK: Before the browser opens

    /// Asks the store, then the provider: where one of them would refuse the grant in the end, no browser opens.
    func prepare() async throws(ProtocolError) -> Prepared {
        let beganAt = access.clock.now.boot
        var redirects = try waysHome()
        let previous = try await previousRecord()
        let registration = try await registrar.known()
        if account.registersClient {
            if let registration { redirects = registration.preferred(among: redirects) }
        } else {
            do { _ = try await access.identified() } catch { throw error.protocolError }
        }
        let metadata = try await access.directory.metadata(for: account, wire: access.wire, isFresh: true)
        if account.registersClient, registration == nil, metadata.registrationEndpoint == nil {
            throw registrar.unregistrable
        }
        let added = addedScope(previous)
        let scope = await scope(metadata, added: added)
        do {
            try metadata.checkAuthorizationCodeFlow()
            let endpoint = try metadata.require(\.authorizationEndpoint, named: "authorization_endpoint")
            if account.issuer != nil, scope.contains("openid") { try metadata.checkIDTokens() }
            return Prepared(
                beganAt: beganAt,
                metadata: metadata,
                authorizationEndpoint: endpoint,
                pushEndpoint: try metadata.pushEndpoint(account.push),
                previous: previous,
                redirects: redirects,
                scope: scope,
                addedScope: added,
                registration: registration
            )
        } catch {
            throw error.protocolError
        }
    }

    var registrar: ClientRegistrar { ClientRegistrar(access: access, softwareVersion: softwareVersion) }

    /// The attempt as a client that the provider knows: where the account names none, one is registered, for the
    /// redirect that was opened.
    func asClient(_ prepared: Prepared, redirectURI: String) async throws(ProtocolError) -> LoginAttempt {
        guard account.registersClient else { return self }
        var attempt = self
        attempt.access = try await registrar.client(
            prepared.registration,
            redirectURI: redirectURI,
            scope: prepared.scope,
            metadata: prepared.metadata,
            held: prepared.heldClientID
        )
        return attempt
    }

    /// What the store holds of the account at this issuer, as it is now; subjects of another issuer are other people's
    /// names, even where they look the same (OpenID Connect Core, section 2).
    ///
    /// - Throws: `store_locked` or `store_unavailable`.
    func previousRecord() async throws(ProtocolError) -> GrantRecord? {
        do {
            guard let item = try await store.item(account: account.name) else { return nil }
            let record = try GrantRecord.read(item, at: access.clock.now)
            return !isForgotten() && record.destination.issuer == account.issuerName ? record : nil
        } catch {
            if error.code == .unreadable { return nil }
            throw error.protocolError
        }
    }

    /// Opens the first usable redirect; only a loopback one has a listener.
    func listen(
        _ prepared: Prepared,
        with redirects: any RedirectListening,
        handler: @escaping RedirectHandler
    ) throws(ProtocolError) -> (listener: (any RedirectListener)?, redirect: Redirect) {
        var faults: [String] = []
        for candidate in prepared.redirects {
            guard case .loopback(let host, let port) = candidate.kind else {
                return (nil, Redirect(uri: candidate.url.text, path: candidate.url.path, hosts: []))
            }
            do throws(RedirectFault) {
                let listener = try redirects.open(host, port: port, handler: handler)
                let redirect = Redirect(
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
            "no way home for the provider's answer could be opened: \(faults.joined(separator: "; "))",
            data: ["file": .string(account.file), "member": "redirect_uri"]
        )
    }

    /// The request that the browser carries, and this attempt with what it must remember.
    func request(
        _ prepared: Prepared,
        redirectURI: String
    ) -> (authorization: AuthorizationRequest, attempt: LoginAttempt) {
        let proofKey = ProofKey(entropy: entropy.bytes(ProofKey.entropyLength))
        let nonce = UnguessableText.make(entropy: entropy.bytes(UnguessableText.entropyLength))
        var request = AuthorizationRequest(
            clientID: account.clientID,
            redirectURI: redirectURI,
            scope: prepared.scope,
            state: UnguessableText.make(entropy: entropy.bytes(UnguessableText.entropyLength)),
            nonce: account.issuer == nil ? nil : nonce,
            proofKey: proofKey
        )
        request.dialect = account.dialect
        request.loginHint = loginHint(prepared)
        request.prompt = AuthorizationRequest.prompt(
            asked: parameters.prompt,
            configured: account.authorizationParameters["prompt"],
            scope: prepared.scope,
            consents: asksConsent(prepared),
            holdsGrant: prepared.previous?.isGranted(to: account) == true && prepared.previous?.renewable == true
        )
        request.acrValues = parameters.acrValues
        request.maxAge = parameters.maxAge
        request.resources = account.resource
        request.audience = account.audience
        request.additional = account.authorizationParameters
        var attempt = self
        attempt.sent = Sent(
            prepared: prepared,
            authorization: request,
            redirectURI: redirectURI,
            proofKey: proofKey,
            nonce: nonce
        )
        return (request, attempt)
    }

    /// Whether consent is asked for where OpenID Connect wants it. Microsoft's providers give offline access without, and
    /// there it makes users need an administrator.
    private func asksConsent(_ prepared: Prepared) -> Bool {
        if let isWanted = account.asksConsent { return isWanted }
        let places = [account.issuer?.url, prepared.authorizationEndpoint].compactMap(\.self)
        return !places.contains(where: \.isMicrosofts)
    }

    /// Whom the provider should offer: whoever was asked for, else the person that the account belongs to, so that
    /// another one's session in the browser is not taken by mistake.
    private func loginHint(_ prepared: Prepared) -> String? {
        if let hint = parameters.loginHint { return hint }
        let isOpen =
            parameters.force || parameters.hidesPerson || account.authorizationParameters["login_hint"] != nil
        return isOpen ? nil : prepared.previous?.identity
    }

    /// Decides about the requests that arrive at the listener.
    func machine(_ prepared: Prepared, request: AuthorizationRequest, redirect: Redirect) -> LoginStateMachine {
        LoginStateMachine(
            path: redirect.path,
            hosts: redirect.hosts,
            pageName: UnguessableText.make(entropy: entropy.bytes(UnguessableText.entropyLength)),
            startName: UnguessableText.make(entropy: entropy.bytes(UnguessableText.entropyLength)),
            expected: .init(
                state: request.state,
                issuer: account.issuer,
                requiresIssuer: prepared.metadata.sendsIssuerInResponse
            ),
            takesForms: account.authorizationParameters["response_mode"] == "form_post"
        )
    }
}
