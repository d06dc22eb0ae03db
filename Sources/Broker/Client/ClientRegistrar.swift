// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// Obtains a client for a sign-in of an account without a `client_id`: the registered one, or a new one (RFC 7591).
@LoopActor struct ClientRegistrar {
    let access: ProviderAccess
    /// Sent as `software_version`.
    let softwareVersion: String

    private var account: AccountConfiguration { access.account }
    private var credentials: ClientCredentialStore { access.credentials }

    /// The registration that the next sign-in can use; nil if there is none, or if it is stale: for another
    /// destination, refused by the provider, or with an expired secret.
    ///
    /// - Parameter isForDevice: whether it must be one for device logins.
    func known(isForDevice: Bool = false) async throws(ProtocolError) -> ClientRegistration? {
        do {
            let registrations = try await credentials.record(of: account.name).registrations
            let now = access.clock.now.wall
            return registrations.last { isForDevice ? $0.takesDeviceCodes : !$0.redirectURIs.isEmpty }.flatMap {
                registration in
                let isAlive = registration.secretExpiresAt.map { $0 > now } ?? true
                let isHere = registration.destination == credentials.destination(of: account)
                return isAlive && isHere && !registration.isRefused ? registration : nil
            }
        } catch {
            if error.code == .unreadable { return nil }
            throw error.protocolError
        }
    }

    /// The provider's client that may use `redirectURI`: as `known`, or newly registered, and then stored before it is
    /// used.
    ///
    /// - Parameter held: the client of the account's grant, whose registration is kept.
    func client(
        _ known: ClientRegistration?,
        redirectURI: String,
        scope: Scope,
        metadata: ProviderMetadata,
        held: String?
    ) async throws(ProtocolError) -> ProviderAccess {
        if let known, known.takes(redirectURI) { return try await access(as: known) }
        let request = RegistrationRequest(
            redirectURIs: RegistrationRequest.redirects(for: redirectURI),
            softwareVersion: softwareVersion
        )
        return try await registered(request, scope, metadata, held)
    }

    /// The provider's client for a device login's codes: as `known`, or newly registered.
    func deviceClient(
        _ known: ClientRegistration?,
        scope: Scope,
        metadata: ProviderMetadata,
        held: String?
    ) async throws(ProtocolError) -> ProviderAccess {
        if let known { return try await access(as: known) }
        let own = account.redirects.map(\.url.text)
        var request = RegistrationRequest(
            redirectURIs: own.isEmpty ? RegistrationRequest.redirects(for: "http://127.0.0.1/callback") : own,
            softwareVersion: softwareVersion
        )
        request.grantTypes.append(TokenRequest.deviceGrantType)
        return try await registered(request, scope, metadata, held)
    }

    /// Registers, and stores the result before it is used.
    private func registered(
        _ request: RegistrationRequest,
        _ scope: Scope,
        _ metadata: ProviderMetadata,
        _ held: String?
    ) async throws(ProtocolError) -> ProviderAccess {
        var request = request
        request.scope = scope
        let new = try await register(request, metadata)
        do {
            try await credentials.change(account) { record in
                record.registrations.removeAll { $0.clientID != held || $0.clientID == new.clientID }
                record.registrations.append(new)
            }
        } catch {
            throw error.protocolError
        }
        return try await access(as: new)
    }

    private func access(as registration: ClientRegistration) async throws(ProtocolError) -> ProviderAccess {
        var access = access
        access.account = account.asClient(registration)
        do { return try await access.identified() } catch { throw error.protocolError }
    }

    private func register(
        _ request: RegistrationRequest,
        _ metadata: ProviderMetadata
    ) async throws(ProtocolError) -> ClientRegistration {
        guard let endpoint = metadata.registrationEndpoint else { throw unregistrable }
        var request = request
        request.authentication = account.clientAuthentication
        let token: Secret?
        do throws(ClientFault) {
            if account.clientAuthentication == .privateKeyJWT { request.publicKey = try await access.publicKey() }
            token = try await access.initialAccessToken()
        } catch {
            throw error.protocolError
        }
        let response: HTTPResponse
        do {
            response = try await access.transport.send(
                request.httpRequest(endpoint: endpoint, initialAccessToken: token),
                wire: access.wire
            )
        } catch {
            throw error.protocolError
        }
        return try judge(RegistrationAnswer.read(response, sent: [token].compactMap(\.self)), request)
    }

    private func judge(
        _ answer: RegistrationAnswer,
        _ request: RegistrationRequest
    ) throws(ProtocolError) -> ClientRegistration {
        switch answer {
        case .registered(let client): return try accepted(client, request)
        case .unavailable(let reason):
            throw ProtocolError(.providerUnreachable, "\(account.issuerHost): \(reason)")
        case .invalid(let reason): throw invalid(reason)
        case .refused(let body, let isUnauthorized):
            let next =
                isUnauthorized
                ? "it may want an initial access token: tokenctl account secret \(account.name) "
                    + "--kind initial_access_token"
                : "register an application there by hand and put its client_id into \(account.file)"
            var error = ProtocolError(
                .providerError,
                "\(account.issuerHost) did not register a client: \(body.message); \(next)"
            )
            if !body.error.isEmpty { error.data["oauth_error"] = .string(body.error) }
            if let status = body.status { error.data["http_status"] = .integer(Int64(status)) }
            throw error
        }
    }

    /// The provider's values win, as far as they are usable (section 3.2.1).
    private func accepted(
        _ client: RegistrationAnswer.Client,
        _ request: RegistrationRequest
    ) throws(ProtocolError) -> ClientRegistration {
        let named = client.authentication ?? unnamedMethod(client, request).rawValue
        guard let method = ClientAuthenticationMethod(rawValue: named) else {
            throw invalid("it registered a client that authenticates with “\(DisplayText.sanitized(named))”")
        }
        guard !method.usesSecret || client.secret != nil else {
            throw invalid("it registered a client that authenticates with \(named) and gave it no secret")
        }
        var registration = ClientRegistration(
            destination: credentials.destination(of: account),
            clientID: client.id,
            authentication: named,
            redirectURIs: client.redirectURIs ?? request.redirectURIs,
            registeredAt: access.clock.now.wall
        )
        if request.isForDevice {
            guard client.grantTypes?.contains(TokenRequest.deviceGrantType) != false else {
                throw invalid("it registered a client that may not sign in with a code (grant_types)")
            }
            registration.takesDeviceCodes = true
            // A device login's registration does not show that any port is accepted: a browser sign-in registers its
            // own.
            registration.redirectURIs.removeAll { text in (try? RedirectURI(text))?.hasOpenPort != false }
        } else if request.redirectURIs.first.map({ registration.takes($0) }) != true {
            throw invalid("it registered a client with other redirect URIs than the one that was asked for")
        }
        registration.clientSecret = client.secret
        registration.secretExpiresAt = client.secretExpiresAt
        registration.registrationAccessToken = client.accessToken
        registration.registrationClientURI = client.configurationURI
        return registration
    }

    /// The client authentication of a registration that does not name it: the requested one; or, with a secret that was
    /// not requested, the default method (section 2).
    private func unnamedMethod(
        _ client: RegistrationAnswer.Client,
        _ request: RegistrationRequest
    ) -> ClientAuthenticationMethod {
        request.authentication == .none && client.secret != nil ? .clientSecretBasic : request.authentication
    }

    private func invalid(_ reason: String) -> ProtocolError {
        ProtocolError(.providerError, "\(account.issuerHost) registers clients in a way that is of no use: \(reason)")
    }

    /// The provider has no registration endpoint.
    var unregistrable: ProtocolError {
        ProtocolError(
            .configInvalid,
            "“\(account.name)” names no client_id, and \(account.issuerHost) registers no clients by itself: register an "
                + "application there and put its client_id into \(account.file)",
            data: ["file": .string(account.file), "member": "client_id"]
        )
    }
}

extension ClientRegistration {
    /// The redirects, with those first that the provider knows: if such a port is free, no registration is needed.
    func preferred(among candidates: [RedirectURI]) -> [RedirectURI] {
        candidates.flatMap { candidate in
            let known = redirectURIs.compactMap { try? RedirectURI($0) }
            return known.filter { candidate.text(port: $0.url.port) == $0.url.text && $0 != candidate } + [candidate]
        }
    }

    /// Whether the provider redirects there, according to its registration: byte for byte, or to any port if a loopback
    /// URI without a port is registered (RFC 8252, section 7.3).
    func takes(_ redirectURI: String) -> Bool {
        redirectURIs.contains { registered in
            if registered == redirectURI { return true }
            guard let own = try? RedirectURI(registered), own.hasOpenPort,
                let port = (try? WebURL(redirectURI))?.port
            else { return false }
            return own.text(port: port) == redirectURI
        }
    }
}

extension AccountConfiguration {
    /// The account as the client that a provider has registered.
    func asClient(_ registration: ClientRegistration) -> AccountConfiguration {
        var account = self
        account.clientID = registration.clientID
        account.clientAuthentication = ClientAuthenticationMethod(rawValue: registration.authentication) ?? .none
        return account
    }
}
