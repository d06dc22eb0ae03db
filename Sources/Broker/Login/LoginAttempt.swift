// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// What a login does at the provider and in the store: everything between the listener and the person.
@LoopActor struct LoginAttempt {
    /// What was found out before a browser opens.
    struct Prepared {
        var metadata: ProviderMetadata
        var authorizationEndpoint: WebURL
        /// The grant that the account holds, or what is left of its last one.
        var previous: GrantRecord?
        var scope: Scope
    }

    /// The way home that was opened.
    struct Redirect {
        var uri: String
        var path: String
        var hosts: Set<String>
    }

    /// What the code is traded with.
    struct Sent {
        var prepared: Prepared
        var redirectURI: String
        var proofKey: ProofKey
        var nonce: String
    }

    let access: ProviderAccess
    let store: any CredentialStore
    let entropy: any Entropy
    let parameters: LoginParameters
    /// Where the new grant may go.
    let destination: @LoopActor (ProviderMetadata) -> GrantDestination
    private(set) var sent: Sent?

    init(
        access: ProviderAccess,
        store: any CredentialStore,
        entropy: any Entropy,
        parameters: LoginParameters,
        destination: @escaping @LoopActor (ProviderMetadata) -> GrantDestination
    ) {
        self.access = access
        self.store = store
        self.entropy = entropy
        self.parameters = parameters
        self.destination = destination
    }

    var account: AccountConfiguration { access.account }

    // MARK: Before the browser opens

    /// Asks the store, then the provider: where one of them would refuse the grant in the end, no browser opens.
    func prepare() async throws(ProtocolError) -> Prepared {
        let previous = try await previousRecord()
        let metadata = try await access.directory.metadata(for: account, wire: access.wire, isFresh: true)
        do {
            try metadata.checkAuthorizationCodeFlow()
            let endpoint = try metadata.require(\.authorizationEndpoint, named: "authorization_endpoint")
            let scope = account.scopes
                .union(previous?.ended == nil ? previous?.scope ?? [] : [])
                .union(parameters.scope)
                .addingOfflineAccess(supportedBy: metadata)
            return Prepared(
                metadata: metadata,
                authorizationEndpoint: endpoint,
                previous: previous,
                scope: scope
            )
        } catch {
            throw error.protocolError
        }
    }

    private func previousRecord() async throws(ProtocolError) -> GrantRecord? {
        do {
            guard let item = try await store.item(account: account.name) else { return nil }
            return try GrantRecord.read(item, at: access.clock.now)
        } catch {
            if error.code == .unreadable { return nil }
            throw error.protocolError
        }
    }

    /// Opens the first way home that can be had.
    func listen(
        with redirects: any RedirectListening,
        handler: @escaping @LoopActor (RedirectRequest, @escaping @LoopActor (RedirectAnswer) -> Void) -> Void
    ) throws(ProtocolError) -> (any RedirectListener, Redirect) {
        var fault: RedirectFault?
        for candidate in try candidates() {
            guard case .loopback(let host, let port) = candidate.kind else { continue }
            do throws(RedirectFault) {
                let listener = try redirects.open(host, port: port, handler: handler)
                let redirect = Redirect(
                    uri: candidate.text(port: listener.port),
                    path: candidate.url.path,
                    hosts: ["\(host.rawValue):\(listener.port)"]
                )
                return (listener, redirect)
            } catch {
                fault = fault ?? error
            }
        }
        throw ProtocolError(
            .configInvalid,
            "no way home for the provider's answer could be opened: \(fault?.message ?? "none is configured")",
            data: ["file": .string(account.name), "member": "redirect_uri"]
        )
    }

    private func candidates() throws(ProtocolError) -> [RedirectURI] {
        do throws(OAuthError) {
            if let text = parameters.redirectURI { return [try RedirectURI(text)] }
            guard account.redirects.isEmpty else { return account.redirects }
            return [try RedirectURI("http://127.0.0.1/callback"), try RedirectURI("http://[::1]/callback")]
        } catch {
            throw ProtocolError(.invalidParams, error.message, data: ["member": "redirect_uri"])
        }
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
            nonce: prepared.scope.contains("openid") ? nonce : nil,
            proofKey: proofKey
        )
        request.loginHint = parameters.loginHint
        request.prompt = AuthorizationRequest.prompt(
            asked: parameters.prompt,
            configured: account.authorizationParameters["prompt"],
            scope: prepared.scope,
            holdsGrant: prepared.previous?.renewable ?? false
        )
        request.acrValues = parameters.acrValues
        request.maxAge = parameters.maxAge
        request.resources = account.resource
        request.audience = account.audience
        request.additional = account.authorizationParameters
        var attempt = self
        attempt.sent = Sent(prepared: prepared, redirectURI: redirectURI, proofKey: proofKey, nonce: nonce)
        return (request, attempt)
    }

    /// What decides about the requests that arrive at the listener.
    func machine(_ prepared: Prepared, request: AuthorizationRequest, redirect: Redirect) -> LoginStateMachine {
        LoginStateMachine(
            path: redirect.path,
            hosts: redirect.hosts,
            pageName: UnguessableText.make(entropy: entropy.bytes(UnguessableText.entropyLength)),
            expected: .init(
                state: request.state,
                issuer: account.issuer,
                requiresIssuer: prepared.metadata.sendsIssuerInResponse
            )
        )
    }
}
