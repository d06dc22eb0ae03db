// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import Systemd
import TokendProtocol

/// One account's requests to its provider: sends token requests, and checks whose the answers are.
@LoopActor struct ProviderAccess {
    /// The account's file, with the registered client if the file names none.
    var account: AccountConfiguration
    let wire: WireSettings
    var transport: any HTTPTransport
    let clock: any Clock
    let entropy: any Entropy
    var directory: ProviderDirectory
    /// Holds the client's secrets.
    let credentials: ClientCredentialStore
    /// The credential found there; nil: not loaded yet.
    var credential: ClientCredential?

    /// The rules for an ID token that came with a token (OpenID Connect Core, sections 3.1.3.7 and 12.2).
    func idTokenRules(
        _ occasion: IDTokenRules.Occasion,
        _ issuer: Issuer,
        _ metadata: ProviderMetadata,
        _ response: TokenResponse
    ) -> IDTokenRules {
        var rules = IDTokenRules(occasion, issuer: issuer, clientID: account.clientID, now: clock.now.wall)
        rules.algorithms = metadata.idTokenSigningAlgorithms
        rules.federationService = issuer.federationService(named: metadata.accessTokenIssuer)
        rules.accessToken = response.accessToken
        rules.trustedAudiences = account.trustedAudiences
        return rules
    }

    /// The token endpoint, with the metadata that names it.
    func tokenEndpoint() async throws(ProtocolError) -> (ProviderMetadata, WebURL) {
        let metadata = try await directory.metadata(for: account, wire: wire)
        do {
            return (metadata, try metadata.require(\.tokenEndpoint, named: "token_endpoint"))
        } catch {
            throw error.protocolError
        }
    }

    /// Sends one token request, of any grant type. A provider's request to wait is remembered for all its accounts.
    ///
    /// - Throws: if nothing was sent: the client cannot authenticate, or the account's own parameters break a rule.
    func send(_ request: TokenRequest, to endpoint: WebURL, requested: Scope) async throws(ProtocolError)
        -> TokenOutcome
    {
        let authentication = try await authentication()
        let http: HTTPRequest
        do {
            http = try request.adding(account.tokenParameters).httpRequest(
                endpoint: endpoint,
                clientID: account.clientID,
                authentication: authentication,
                headers: account.tokenHeaders
            )
        } catch {
            throw error.protocolError
        }
        let sentAt = clock.now
        do {
            let response = try await transport.send(http, wire: wire)
            let answer = TokenAnswer.read(
                response,
                sentAt: sentAt.wall,
                now: clock.now.wall,
                requested: requested,
                issuer: account.issuer,
                sent: request.secrets + authentication.secrets(clientID: account.clientID),
                dialect: account.dialect
            )
            if case .misconfigured(let body) = answer { await noteRefusal(body) }
            if let wait = answer.coolDown(isPoll: request.isPoll) { directory.coolDown(endpoint, for: wait) }
            return TokenOutcome(.success(answer), sentAt: sentAt, at: account)
        } catch {
            return TokenOutcome(.failure(error), sentAt: sentAt, at: account)
        }
    }

    /// Verifies an ID token, and fetches the provider's keys once more if it names an unknown one.
    ///
    /// - Parameters:
    ///   - keysSince: keys that were fetched before this are fetched again; nil: cached ones are used.
    ///   - beforeFetch: called before the provider is asked for its keys, which may take long.
    func verify(
        _ token: Secret,
        rules: IDTokenRules,
        metadata: ProviderMetadata,
        keysSince: BootInstant? = nil,
        beforeFetch: () async -> Void = {}
    ) async throws(IdentityFailure) -> IDToken {
        guard let url = metadata.keySetURL else {
            throw .check(
                "signature",
                "the provider's metadata \(metadata.lack(of: "jwks_uri")) to verify its ID token with"
            )
        }
        let beganAt = clock.now.boot
        var isUnknownKey = false
        while true {
            let keys: JSONWebKeySet
            let since = isUnknownKey ? beganAt : keysSince
            if directory.heldKeys(at: url, wire: wire, since: since, isUnknownKey: isUnknownKey) == nil {
                await beforeFetch()
            }
            do {
                keys = try await directory.keys(at: url, wire: wire, since: since, isUnknownKey: isUnknownKey)
            } catch {
                throw .fault(error.protocolError)
            }
            do {
                return try IDToken.verify(compact: token, keys: keys, rules: rules)
            } catch {
                guard error.isKeyUnknown, !isUnknownKey else {
                    throw error.isOtherSubject ? .otherSubject : .check(error.check.rawValue, error.message)
                }
                isUnknownKey = true
            }
        }
    }

    /// Revokes a token (RFC 7009); locally it is gone whatever the result.
    ///
    /// - Returns: the reason, if the provider did not revoke it.
    func revoke(_ token: Secret, hint: RevocationRequest.Hint, metadata: ProviderMetadata) async -> RevocationFault? {
        guard let endpoint = metadata.revocationEndpoint else {
            return RevocationFault("\(account.issuerHost) offers no revocation; the tokens end by themselves")
        }
        let authentication: ClientAuthentication
        do { authentication = try await self.authentication() } catch { return RevocationFault(error.message) }
        var request = RevocationRequest(token: token, hint: hint)
            .httpRequest(endpoint: endpoint, clientID: account.clientID, authentication: authentication)
        request.timeout = .seconds(5)
        do {
            let response = try await transport.send(request, wire: wire)
            let secrets = [token] + authentication.secrets(clientID: account.clientID)
            switch RevocationAnswer.read(response, now: clock.now.wall, sent: secrets) {
            case .done, .unsupportedTokenType: return nil
            case .later(let reason, retryAfter: _):
                return RevocationFault("\(account.issuerHost) did not revoke the grant now: \(reason)", isPassing: true)
            case .refused(let body):
                return RevocationFault("\(account.issuerHost) did not revoke the grant: \(body.message)")
            }
        } catch {
            return RevocationFault(error.message, isPassing: true)
        }
    }
}

/// Why a provider has not revoked a token.
struct RevocationFault {
    /// One sentence for a user.
    let message: String
    /// Whether a later try may succeed.
    let isPassing: Bool

    init(_ message: String, isPassing: Bool = false) {
        self.message = message
        self.isPassing = isPassing
    }
}

/// Why an answer's identity was not accepted.
enum IdentityFailure: Error {
    /// A refreshed token is valid and about another user.
    case otherSubject
    /// It breaks a rule.
    case check(String, String)
    /// The keys are unavailable: nothing is known.
    case fault(ProtocolError)
}
