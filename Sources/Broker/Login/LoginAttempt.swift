// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// The inputs of a login, and its first step. Each later step is a function of the one before: `PreparedLogin`,
/// `OpenedLogin` (or `DeviceCodes`), `TradedLogin`, `CheckedLogin`. `Login` takes them, one after the other.
@LoopActor struct LoginAttempt {
    var access: ProviderAccess
    /// Sent when a client is registered.
    var softwareVersion = ""
    let store: any CredentialStore
    let entropy: any Entropy
    let parameters: LoginParameters
    /// The part of the daemon's own settings that a grant's destination records.
    let wire: DaemonConfiguration.Wire
    /// The private-use schemes that the desktop passes to `tokenctl callback`.
    let handlers: any CallbackHandling
    /// Whether the user has signed out of the stored grant, and only its removal is pending.
    let isForgotten: @LoopActor () -> Bool

    init(
        access: ProviderAccess,
        store: any CredentialStore,
        entropy: any Entropy,
        parameters: LoginParameters,
        wire: DaemonConfiguration.Wire,
        handlers: any CallbackHandling,
        isForgotten: @escaping @LoopActor () -> Bool
    ) {
        self.access = access
        self.store = store
        self.entropy = entropy
        self.parameters = parameters
        self.wire = wire
        self.handlers = handlers
        self.isForgotten = isForgotten
    }

    var account: AccountConfiguration { access.account }

    // MARK: Before the browser opens

    /// Asks the store, then the provider: if one of them would refuse the grant later, no browser opens.
    func prepare() async throws(ProtocolError) -> PreparedLogin {
        let beganAt = access.clock.now.boot
        var redirects = try redirectOptions()
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
            return PreparedLogin(
                attempt: self,
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

    func unguessableText() -> String {
        UnguessableText.make(entropy: entropy.bytes(UnguessableText.entropyLength))
    }

    var registrar: ClientRegistrar { ClientRegistrar(access: access, softwareVersion: softwareVersion) }

    /// The store's record of the account at this issuer, as it is now; subjects of another issuer are other users'
    /// names, even if they look the same (OpenID Connect Core, section 2).
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
}
