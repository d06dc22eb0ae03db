// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

/// A login with tokens whose user is not known yet.
@LoopActor struct TradedLogin {
    let prepared: PreparedLogin
    let response: TokenResponse
    /// When the request for the tokens was sent.
    let sentAt: Moment
    /// The ID token's required nonce; nil if none could be sent.
    var nonce: String?
    /// nil for a device login.
    var redirectURI: String?

    private var access: ProviderAccess { prepared.access }
    private var account: AccountConfiguration { prepared.account }

    /// Revokes the tokens, which are not kept.
    func discard() {
        prepared.discard([response.refreshToken, response.accessToken])
    }

    /// Checks the user, and exchanges the token with the application's backend, if the account has one.
    func checked() async throws(LoginFailure) -> CheckedLogin {
        var identity = try await identify()
        identity.application = try await application(identity.token)
        return CheckedLogin(traded: self, identity: identity)
    }

    /// The user who signed in, as far as the provider tells.
    struct Identity {
        var token: IDToken?
        var subject: String?
        var name: String?
        /// Why the provider could not be asked.
        var fault: ProtocolError?
        /// The answer of the application's backend; nil if the account has none.
        var application: ApplicationGrant?
    }

    private func identify() async throws(LoginFailure) -> Identity {
        let metadata = prepared.metadata
        var identity = Identity()
        if let token = response.idToken, let issuer = account.issuer {
            do {
                identity.token = try await access.verify(
                    token,
                    rules: rules(issuer),
                    metadata: metadata,
                    keysSince: prepared.beganAt
                )
            } catch {
                switch error {
                case .otherSubject: throw .check("subject", message: "it is about another user")
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
        return await askUserInfo(endpoint, identity)
    }

    private func rules(_ issuer: Issuer) -> IDTokenRules {
        var rules = access.idTokenRules(.login(nonce: nonce), issuer, prepared.metadata, response)
        let configured = account.authorizationParameters
        rules.maxAge = prepared.parameters.maxAge ?? configured["max_age"].flatMap { Int64($0) }
        let classes = prepared.parameters.acrValues ?? configured["acr_values"] ?? ""
        rules.authenticationClasses = classes.split(separator: " ").map(String.init)
        return rules
    }

    /// A name for the user if the ID token has none; a login never fails without it, and an answer about another
    /// subject is not used (OpenID Connect Core, section 5.3.2).
    private func askUserInfo(_ endpoint: WebURL, _ known: Identity) async -> Identity {
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

    /// Sends the provider's token to the application's backend.
    ///
    /// - Throws: if the backend refuses or answers without a token, or if it is unavailable and there is no refresh
    ///   token: then the login has failed, and the user is told. A renewable grant is kept during an outage.
    private func application(_ verified: IDToken?) async throws(LoginFailure) -> ApplicationGrant? {
        guard let exchange = account.exchange else { return nil }
        let granted = response.scope ?? prepared.scope
        let held = HeldToken(response, granted: granted, sentAt: sentAt, verified: verified)
        switch await access.trade(held, by: exchange) {
        case .done(let token): return .held(token)
        case .later(let failure) where failure.error.kind == .providerError: throw .fault(failure.error)
        case .later where response.refreshToken != nil: return .owed(held)
        case .later(let failure): throw .fault(failure.error)
        case .refused(let failure) where failure.error.kind == .loginRequired:
            throw .check("id_token", message: "it holds no \(exchange.subject.rawValue) for \(exchange.url.host)")
        case .refused(let failure): throw .fault(failure.error)
        }
    }
}
