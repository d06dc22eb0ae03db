// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

extension LoginAttempt {
    /// Exchanges the code for a grant, checks its user, stores it and gives it to the login.
    func exchange(_ code: Secret, for login: Login) async throws(LoginFailure) -> LoginResult {
        guard let sent else { preconditionFailure("A code came before its login was sent.") }
        let (response, sentAt) = try await trade(code, sent)
        return try await settle(response, sent.prepared, nonce: sent.nonce, sentAt: sentAt, for: login)
    }

    /// Checks the user of a new grant, stores it and gives it to the login; a grant that is not kept is revoked.
    ///
    /// - Parameter nonce: what the ID token must carry; nil where none could be sent.
    func settle(
        _ response: TokenResponse,
        _ prepared: Prepared,
        nonce: String?,
        sentAt: Moment,
        for login: Login
    ) async throws(LoginFailure) -> LoginResult {
        do throws(LoginFailure) {
            var identity = try await identify(response, prepared, nonce: nonce)
            identity.application = try await application(response, prepared, identity.token, sentAt: sentAt)
            guard response.refreshToken == nil else {
                return try await keep(response, prepared, identity, sentAt: sentAt, for: login)
            }
            return try await locks.withToken { () async throws(LoginFailure) in
                try await keep(response, prepared, identity, sentAt: sentAt, for: login)
            }
        } catch {
            discard([response.refreshToken, response.accessToken], prepared)
            throw error
        }
    }

    /// Stores the grant and hands it to the login, as the item's only writer.
    private func keep(
        _ response: TokenResponse,
        _ prepared: Prepared,
        _ identity: Identity,
        sentAt: Moment,
        for login: Login
    ) async throws(LoginFailure) -> LoginResult {
        try await locks.withItem { () async throws(LoginFailure) in
            let previous: GrantRecord?
            do throws(ProtocolError) { previous = try await previousRecord() } catch { throw .fault(error) }
            try checkSubject(identity, previous: previous)
            try login.commit()
            var record = record(response, prepared, identity, previous: previous, sentAt: sentAt)
            record.metadata = login.metadata
            do throws(StoreError) {
                try await store.write(record.item(for: account))
            } catch {
                throw .fault(error.protocolError)
            }
            do throws(LoginFailure) {
                return try login.keep(record)
            } catch {
                // The user signed out while it was being stored. If it cannot be removed now, that stays pending.
                try? await store.remove(account: account.name)
                throw error
            }
        }
    }

    /// Revokes a grant that is not kept at the provider, in the background.
    func discard(_ tokens: [Secret?], _ prepared: Prepared) {
        let access = access
        Task.onLoop {
            for (token, hint) in zip(tokens, [RevocationRequest.Hint.refreshToken, .accessToken]) {
                guard let token else { continue }
                _ = await access.revoke(token, hint: hint, metadata: prepared.metadata)
            }
        }
    }

    /// Sends the code, once: even if the answer is lost, it is never sent again (RFC 6749, section 4.1.2).
    private func trade(_ code: Secret, _ sent: Sent) async throws(LoginFailure) -> (TokenResponse, Moment) {
        let endpoint: WebURL
        let request: TokenRequest
        do {
            endpoint = try sent.prepared.metadata.require(\.tokenEndpoint, named: "token_endpoint")
            request = try TokenRequest.authorizationCode(
                code,
                redirectURI: sent.redirectURI,
                proofKey: sent.proofKey,
                scope: account.codeScope(of: sent.prepared.scope),
                resources: account.resource,
                audience: account.audience
            )
        } catch {
            throw .fault(error.protocolError)
        }
        let answer: ProviderAccess.Sent
        do {
            answer = try await access.send(request, to: endpoint, requested: sent.prepared.scope)
        } catch {
            throw .fault(error)
        }
        switch answer {
        case .answer(.success(let response), at: let sentAt):
            return (response, sentAt)
        case .answer(.grantEnded(let body), at: _), .answer(.userWanted(let body), at: _),
            .answer(.unknown(let body), at: _):
            throw .refused(body)
        case .answer(.invalid(let invalid), at: _):
            discard([invalid.refreshToken], sent.prepared)
            throw .fault(RefreshFailure(.invalid(invalid), at: account).error)
        case .answer(let other, at: _):
            throw .fault(RefreshFailure(other, at: account).error)
        case .lost(let error, at: _):
            throw .fault(error.protocolError)
        }
    }

    /// Who signed in, as far as the provider tells.
    private struct Identity {
        var token: IDToken?
        var subject: String?
        var name: String?
        /// Why the provider could not be asked.
        var fault: ProtocolError?
        /// What the application's backend said; nil where the account has none.
        var application: ApplicationGrant?
    }

    private func identify(
        _ response: TokenResponse,
        _ prepared: Prepared,
        nonce: String?
    ) async throws(LoginFailure) -> Identity {
        let metadata = prepared.metadata
        var identity = Identity()
        if let token = response.idToken, let issuer = account.issuer {
            do {
                identity.token = try await access.verify(
                    token,
                    rules: rules(issuer, response, prepared, nonce: nonce),
                    metadata: metadata,
                    keysSince: prepared.beganAt
                )
            } catch {
                switch error {
                case .otherSubject: throw .check("subject", message: "it is about another person")
                case .check(let check, let message): throw .check(check, message: message)
                case .fault(let fault): throw .fault(fault)
                }
            }
            identity.subject = identity.token?.subject
            identity.name = identity.token?.identity
        } else if account.issuer != nil, (response.scope ?? prepared.scope).contains("openid") {
            throw .check("id_token", message: "it holds no ID token although “openid” was granted")
        }
        guard identity.name == nil || identity.subject == nil, let endpoint = metadata.userInfoEndpoint else {
            return identity
        }
        return await askUserInfo(endpoint, response, identity)
    }

    private func rules(
        _ issuer: Issuer,
        _ response: TokenResponse,
        _ prepared: Prepared,
        nonce: String?
    ) -> IDTokenRules {
        var rules = IDTokenRules(
            .login(nonce: nonce),
            issuer: issuer,
            clientID: account.clientID,
            now: access.clock.now.wall
        )
        rules.algorithms = prepared.metadata.idTokenSigningAlgorithms
        rules.federationService = issuer.federationService(named: prepared.metadata.accessTokenIssuer)
        rules.accessToken = response.accessToken
        rules.trustedAudiences = account.trustedAudiences
        let configured = account.authorizationParameters
        rules.maxAge = parameters.maxAge ?? configured["max_age"].flatMap { Int64($0) }
        let classes = parameters.acrValues ?? configured["acr_values"] ?? ""
        rules.authenticationClasses = classes.split(separator: " ").map(String.init)
        return rules
    }

    /// A name for the user where the ID token has none; a login never fails for the lack of it, and an answer about
    /// another subject is not used (OpenID Connect Core, section 5.3.2).
    private func askUserInfo(_ endpoint: WebURL, _ response: TokenResponse, _ known: Identity) async -> Identity {
        var identity = known
        do {
            let answer = try await access.transport.send(
                UserInfo.request(endpoint: endpoint, accessToken: response.accessToken),
                wire: access.wire
            )
            let info = try UserInfo.read(answer, subject: known.subject)
            identity.subject = known.subject ?? info.subject
            identity.name = info.identity
        } catch {
            identity.fault = (error as? TransportError)?.protocolError ?? (error as? OAuthError)?.protocolError
        }
        return identity
    }

    /// A login of another user does not replace the grant that is there. Where the provider
    /// names no subject at all, there is nothing to compare.
    private func checkSubject(_ identity: Identity, previous: GrantRecord?) throws(LoginFailure) {
        guard !parameters.force, let last = previous?.subject else { return }
        guard let subject = identity.subject else {
            guard var fault = identity.fault else { return }
            fault.message =
                "who signed in to “\(account.name)” could not be asked, so nothing was changed: \(fault.message)"
            throw .fault(fault)
        }
        guard !subject.utf8.elementsEqual(last.utf8) else { return }
        let name = previous?.identity ?? "another person"
        throw .check(
            "subject",
            message: "“\(account.name)” belongs to \(name), and somebody else signed in; to change that: "
                + "tokenctl login \(account.name) --force"
        )
    }

    private func record(
        _ response: TokenResponse,
        _ prepared: Prepared,
        _ identity: Identity,
        previous: GrantRecord?,
        sentAt: Moment
    ) -> GrantRecord {
        let granted = response.scope ?? prepared.scope
        let destination = GrantDestination(account: account, wire: wire, metadata: prepared.metadata)
        var record = GrantRecord(scope: granted, destination: destination, signedInAt: sentAt.wall)
        if !prepared.addedScope.isEmpty { record.addedScope = prepared.addedScope }
        record.flow = parameters.flow
        if account.dialect.refreshSendsRedirectURI { record.redirectURI = sent?.redirectURI }
        record.subject = identity.subject
        record.identity = identity.name
        record.identityToken = identity.token
        record.takeEnd(response.grantLifetime, sentAt: sentAt.wall)
        record.token = HeldToken(response, granted: granted, sentAt: sentAt, verified: identity.token)
        record.refreshToken = response.refreshToken
        if previous?.destination.isAt(destination) == true { record.narrowingSticks = previous?.narrowingSticks }
        identity.application?.adopt(into: &record)
        if record.refreshToken == nil { keepRefreshToken(of: previous, in: &record) }
        return record
    }

    /// A code exchange without a refresh token keeps the one that is held (Google on a repeated consent), if it is
    /// known to be the same user's and may go where the new grant may go.
    private func keepRefreshToken(of previous: GrantRecord?, in record: inout GrantRecord) {
        guard let previous, !previous.isOver, let subject = record.subject, previous.subject == subject,
            previous.destination.allows(account, wire: wire)
        else { return }
        record.refreshToken = previous.refreshToken
        record.flow = previous.flow
        record.redirectURI = previous.redirectURI
        record.generation = previous.generation
        record.pending = previous.pending
        record.rotates = previous.rotates
        guard record.grantExpiresAt == nil else { return }
        record.grantExpiresAt = previous.grantExpiresAt
        record.isEndFixed = previous.isEndFixed
        record.grantLife = previous.grantLife
    }
}

extension GrantRecord {
    /// Whether it is a grant of the client that the account names, and lives.
    func isGranted(to account: AccountConfiguration) -> Bool {
        ended == nil && isIssued(to: account)
    }

    /// Whether it is, or was, a grant of the client that the account names.
    func isIssued(to account: AccountConfiguration) -> Bool {
        destination.issuer == account.issuerName
            && destination.isRegistered == account.registersClient
            && (account.clientID.isEmpty || destination.clientID == account.clientID)
    }
}
