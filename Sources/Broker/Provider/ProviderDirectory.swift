// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import JOSE
package import OAuth
import StrictJSON
package import Systemd
package import TokendProtocol

/// The cached metadata and keys of the providers, and how long they are used.
@LoopActor package final class ProviderDirectory {
    private struct Key: Hashable {
        var issuer: String
        var wire: WireSettings
    }

    private struct Entry<Value> {
        var value: Value
        var fetchedAt: BootInstant
    }

    /// Metadata is fetched again at each login, and otherwise cached for a day.
    private static let metadataLife: Duration = .seconds(86_400)

    private let transport: any HTTPTransport
    private let clock: any Clock
    private var metadata: [Key: Entry<ProviderMetadata>] = [:]
    private var discoveries: [Key: Task<Result<ProviderMetadata, ProtocolError>, Never>] = [:]
    /// The scopes that applications' servers named last, by URL (`scopes_from`).
    var namedScopes: [String: Scope] = [:]
    private var keySets: [Key: Entry<JSONWebKeySet>] = [:]
    /// Token endpoints that asked to wait, for any account, and until when.
    private var coolDowns: [String: BootInstant] = [:]
    /// When a key set was last fetched because of a key that it lacked.
    private var refetchedAt: [Key: BootInstant] = [:]

    package init(transport: any HTTPTransport, clock: any Clock) {
        self.transport = transport
        self.clock = clock
    }

    /// A token endpoint sent `Retry-After`: it applies to all accounts there, and a new configuration does not end it.
    func coolDown(_ endpoint: WebURL, for wait: Duration) {
        let until = clock.now.boot.advanced(by: wait)
        coolDowns[endpoint.text] = max(coolDowns[endpoint.text] ?? until, until)
    }

    /// How long to wait for a token endpoint; nil: not at all.
    func secondsToWait(for endpoint: WebURL) -> Int64? {
        guard let until = coolDowns[endpoint.text] else { return nil }
        let wait = clock.now.boot.duration(to: until)
        guard wait > .zero else {
            coolDowns[endpoint.text] = nil
            return nil
        }
        return wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)
    }

    /// Clears the cache: the user may be fixing what it holds.
    package func forgetAll() {
        metadata = [:]
        keySets = [:]
        namedScopes = [:]
    }

    /// The provider's metadata, overridden by the account's own endpoints.
    ///
    /// - Parameter isFresh: whether to fetch it again; the cached one is still used if the provider is unavailable.
    /// - Throws: `provider_unreachable`, or `provider_error` if the document breaks the rules.
    package func metadata(
        for account: AccountConfiguration,
        wire: WireSettings,
        isFresh: Bool = false
    ) async throws(ProtocolError) -> ProviderMetadata {
        guard let issuer = account.issuer else { return account.endpoints.above(ProviderMetadata()) }
        let key = Key(issuer: issuer.text, wire: wire)
        if !isFresh, let entry = metadata[key], entry.fetchedAt.advanced(by: Self.metadataLife) > clock.now.boot {
            return account.endpoints.above(entry.value)
        }
        do {
            return account.endpoints.above(try await discovered(issuer, key))
        } catch {
            guard !isFresh, error.kind == .providerUnreachable, let entry = metadata[key] else { throw error }
            return account.endpoints.above(entry.value)
        }
    }

    /// Runs one discovery for all who ask meanwhile: many accounts of one provider start together.
    private func discovered(_ issuer: Issuer, _ key: Key) async throws(ProtocolError) -> ProviderMetadata {
        if let running = discoveries[key] { return try await running.value.get() }
        let task = Task.onLoop { [self] () -> Result<ProviderMetadata, ProtocolError> in
            do throws(ProtocolError) {
                let found = try await discover(issuer, wire: key.wire)
                metadata[key] = Entry(value: found, fetchedAt: clock.now.boot)
                return .success(found)
            } catch {
                return .failure(error)
            }
        }
        discoveries[key] = task
        let result = await task.value
        discoveries[key] = nil
        return try result.get()
    }

    private func discover(_ issuer: Issuer, wire: WireSettings) async throws(ProtocolError) -> ProviderMetadata {
        do throws(OAuthError) {
            let discovery = try Discovery(issuer: issuer)
            var openID: HTTPResponse?
            for url in discovery.openIDURLs {
                openID = try await fetch(url, wire: wire)
                if let openID, Discovery.isDocument(openID) { break }
            }
            var oauth: HTTPResponse?
            var notes: [String] = []
            do throws(OAuthError) {
                oauth = try await fetch(discovery.oauthURL, wire: wire)
            } catch {
                // This document only adds to the OpenID one; not every server answers at an unknown path.
                guard openID.map(Discovery.isDocument) == true else { throw error }
                notes.append("the RFC 8414 document is left out: \(error.message)")
            }
            var metadata = try discovery.metadata(openID: openID, oauth: oauth)
            metadata.notes += notes
            return metadata
        } catch {
            throw error.protocolError
        }
    }

    /// The provider's keys.
    ///
    /// - Parameters:
    ///   - since: what was fetched before this moment will not do: a provider may have put another key under an old
    ///     name. nil where cached ones are used.
    ///   - isUnknownKey: whether the ones of before `since` lack the key in question; then they are fetched again, at
    ///     most once a minute.
    package func keys(
        at url: WebURL,
        wire: WireSettings,
        since: BootInstant? = nil,
        isUnknownKey: Bool = false
    ) async throws(OAuthError) -> JSONWebKeySet {
        if let keys = heldKeys(at: url, wire: wire, since: since, isUnknownKey: isUnknownKey) { return keys }
        let key = Key(issuer: url.text, wire: wire)
        if isUnknownKey { refetchedAt[key] = clock.now.boot }
        do throws(OAuthError) {
            let keys = try KeySetDocument.read(try await fetch(url, wire: wire), from: url)
            keySets[key] = Entry(value: keys, fetchedAt: clock.now.boot)
            return keys
        } catch {
            // Old keys are better than none while the provider is unavailable, but not for a key that they lack.
            guard !isUnknownKey, error.code == .unavailable, let entry = keySets[key] else { throw error }
            return entry.value
        }
    }

    /// The cached keys that `keys` would return; nil if it would ask the provider.
    func heldKeys(
        at url: WebURL,
        wire: WireSettings,
        since: BootInstant? = nil,
        isUnknownKey: Bool = false
    ) -> JSONWebKeySet? {
        let key = Key(issuer: url.text, wire: wire)
        guard let entry = keySets[key] else { return nil }
        let now = clock.now.boot
        let isTooSoon = refetchedAt[key].map { $0.duration(to: now) < KeySetDocument.refetchGap } ?? false
        let isOld = since.map { entry.fetchedAt < $0 } ?? false
        let isBelieved = !isOld && entry.fetchedAt.advanced(by: Self.metadataLife) > now
        return (isUnknownKey ? isTooSoon || !isOld : isBelieved) ? entry.value : nil
    }

    private func fetch(_ url: WebURL, wire: WireSettings) async throws(OAuthError) -> HTTPResponse {
        do {
            return try await transport.document(at: url, wire: wire)
        } catch {
            throw OAuthError(.unavailable, error.message, underlying: error)
        }
    }
}

extension AccountConfiguration.Endpoints {
    /// The metadata, overridden by the endpoints in the account's file.
    func above(_ discovered: ProviderMetadata) -> ProviderMetadata {
        var metadata = discovered
        metadata.authorizationEndpoint = authorization ?? discovered.authorizationEndpoint
        metadata.tokenEndpoint = token ?? discovered.tokenEndpoint
        metadata.revocationEndpoint = revocation ?? discovered.revocationEndpoint
        metadata.introspectionEndpoint = introspection ?? discovered.introspectionEndpoint
        metadata.userInfoEndpoint = userinfo ?? discovered.userInfoEndpoint
        metadata.endSessionEndpoint = endSession ?? discovered.endSessionEndpoint
        metadata.keySetURL = jwks ?? discovered.keySetURL
        metadata.deviceAuthorizationEndpoint = deviceAuthorization ?? discovered.deviceAuthorizationEndpoint
        metadata.pushedAuthorizationRequestEndpoint =
            pushedAuthorization ?? discovered.pushedAuthorizationRequestEndpoint
        metadata.registrationEndpoint = registration ?? discovered.registrationEndpoint
        return metadata
    }
}

extension OAuthError {
    /// The error for a client: an unavailable provider is different from one that breaks the rules.
    var protocolError: ProtocolError {
        ProtocolError(code == .unavailable ? .providerUnreachable : .providerError, message)
    }
}

extension TransportError {
    /// The error for a client.
    var protocolError: ProtocolError {
        ProtocolError(.providerUnreachable, message)
    }
}
