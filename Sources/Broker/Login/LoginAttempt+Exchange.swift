// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

extension LoginAttempt {
    /// Trades the code for a grant, checks whom it is for and stores it.
    ///
    /// - Parameter isWanted: whether the login still waits; a grant that comes too late is revoked, not kept.
    func exchange(_ code: Secret, isWanted: @LoopActor () -> Bool) async throws(LoginFailure) -> GrantRecord {
        guard let sent else { preconditionFailure("A code came before its login was sent.") }
        let metadata = sent.prepared.metadata
        let (response, sentAt) = try await trade(code, sent)
        do throws(LoginFailure) {
            let identity = try await identify(response, sent)
            try checkSubject(identity.subject, previous: sent.prepared.previous)
            guard isWanted() else {
                throw .fault(ProtocolError(.cancelled, "the sign-in was given up before it ended"))
            }
            let record = record(response, sent, identity, sentAt: sentAt)
            do {
                try await store.write(record.item(for: account))
            } catch {
                throw .fault(error.protocolError)
            }
            return record
        } catch {
            // Nothing of a grant that is not kept shall live on at the provider.
            if let token = response.refreshToken {
                _ = await access.revoke(token, hint: .refreshToken, metadata: metadata)
            }
            throw error
        }
    }

    /// Sends the code, once: whatever becomes of the answer, it is never sent again (RFC 6749, section 4.1.2).
    private func trade(_ code: Secret, _ sent: Sent) async throws(LoginFailure) -> (TokenResponse, Moment) {
        let answer: ProviderAccess.Sent
        do {
            let endpoint = try sent.prepared.metadata.require(\.tokenEndpoint, named: "token_endpoint")
            let request = try TokenRequest.authorizationCode(
                code,
                redirectURI: sent.redirectURI,
                proofKey: sent.proofKey,
                resources: account.resource,
                audience: account.audience
            )
            answer = try await access.send(request, to: endpoint, requested: sent.prepared.scope)
        } catch {
            throw .fault(error.protocolError)
        }
        switch answer {
        case .answer(.success(let response), at: let sentAt):
            return (response, sentAt)
        case .answer(.grantEnded(let body), at: _), .answer(.unknown(let body), at: _):
            throw .refused(body)
        case .answer(let other, at: _):
            throw .fault(RefreshFailure(other, host: account.issuerHost).error)
        case .lost(let error, at: _):
            throw .fault(error.protocolError)
        }
    }

    /// Who signed in, as far as the provider tells.
    private struct Identity {
        var token: IDToken?
        var subject: String?
        var name: String?
    }

    private func identify(_ response: TokenResponse, _ sent: Sent) async throws(LoginFailure) -> Identity {
        let metadata = sent.prepared.metadata
        var identity = Identity()
        if let token = response.idToken, let issuer = account.issuer {
            do {
                identity.token = try await access.verify(
                    token,
                    rules: rules(issuer, response, sent),
                    metadata: metadata
                )
            } catch {
                switch error {
                case .check(let check, let message): throw .check(check, message: message)
                case .fault(let fault): throw .fault(fault)
                }
            }
            identity.subject = identity.token?.subject
            identity.name = identity.token?.identity
        } else if sent.prepared.scope.contains("openid"), account.issuer != nil {
            throw .check("signature", message: "the provider sent no ID token although “openid” was asked for")
        }
        guard identity.name == nil, let endpoint = metadata.userInfoEndpoint else { return identity }
        return await askUserInfo(endpoint, response, identity)
    }

    private func rules(_ issuer: Issuer, _ response: TokenResponse, _ sent: Sent) -> IDTokenRules {
        var rules = IDTokenRules(
            .login(nonce: sent.nonce),
            issuer: issuer,
            clientID: account.clientID,
            now: access.clock.now.wall
        )
        rules.algorithms = sent.prepared.metadata.idTokenSigningAlgorithms
        rules.accessToken = response.accessToken
        rules.maxAge = parameters.maxAge
        rules.authenticationClasses = parameters.acrValues.map { $0.split(separator: " ").map(String.init) } ?? []
        return rules
    }

    /// A name for the person where the ID token has none; a login never fails for the lack of it, and an answer about
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
            return known
        }
        return identity
    }

    /// A login that comes back as somebody else does not take the place of the grant that is there.
    private func checkSubject(_ subject: String?, previous: GrantRecord?) throws(LoginFailure) {
        guard !parameters.force, let subject, let last = previous?.subject, last != subject else { return }
        let name = previous?.identity ?? "another person"
        throw .check(
            "subject",
            message: "“\(account.name)” belongs to \(name), and somebody else signed in; to change that: "
                + "tokenctl login \(account.name) --force"
        )
    }

    private func record(_ response: TokenResponse, _ sent: Sent, _ identity: Identity, sentAt: Moment) -> GrantRecord {
        let granted = response.scope ?? sent.prepared.scope
        var record = GrantRecord(
            scope: granted,
            destination: destination(sent.prepared.metadata),
            signedInAt: sentAt.wall
        )
        record.refreshToken = response.refreshToken
        record.subject = identity.subject
        record.identity = identity.name
        record.identityToken = identity.token
        record.grantExpiresAt = response.grantLifetime.map { sentAt.wall.addingSaturated($0) }
        record.token = HeldToken(response, granted: granted, sentAt: sentAt, verified: identity.token)
        // A code exchange without a refresh token keeps the one that is held (Google on a repeated consent).
        if record.refreshToken == nil, let previous = sent.prepared.previous, previous.subject == identity.subject,
            previous.ended == nil, previous.destination == record.destination
        {
            record.refreshToken = previous.refreshToken
            record.generation = previous.generation
        }
        return record
    }
}
