// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import Members
package import OAuth

/// Where a grant may be sent: recorded when it is made, and compared with the configuration before each use.
///
/// A change of the account's file, of a preset or by `account.add` cannot send a refresh token elsewhere; only a new
/// login can. Endpoints from discovery may change, but only under the same issuer.
package struct GrantDestination: Sendable, Equatable {
    /// The endpoints that see a token of this grant, by their names in the account's file.
    package enum Endpoint: String, Sendable, CaseIterable {
        case token
        case revocation
        case userinfo
        case introspection
        case endSession = "end_session"
        /// The application's backend, which only the account's file can name.
        case exchange
    }

    package var issuer: String
    /// Whether the account's file named the issuer: without one, neither `iss` nor ID tokens are checked, which is a
    /// different grant even if the token endpoint's origin equals the issuer.
    package var namesIssuer: Bool
    package var clientID: String
    /// Whether the provider registered the client at a sign-in; then the account's file does not name it, and the
    /// provider decides how it authenticates.
    package var isRegistered: Bool
    /// The endpoints when the grant was made.
    package var endpoints: [Endpoint: String]
    /// Those that the account's file set.
    package var configured: Set<Endpoint>
    package var clientAuthentication: String
    package var caDigests: [String]
    package var proxy: String?

    package init(account: AccountConfiguration, wire: DaemonConfiguration.Wire, metadata: ProviderMetadata) {
        issuer = account.issuerName
        namesIssuer = account.issuer != nil
        clientID = account.clientID
        isRegistered = account.registersClient
        clientAuthentication = account.clientAuthentication.rawValue
        caDigests = [wire.caDigest, account.caDigest].compactMap(\.self)
        proxy = wire.proxy
        let named = Self.named(by: account)
        configured = Set(named.keys)
        endpoints = named.mapValues(\.text)
        for endpoint in Endpoint.allCases where endpoints[endpoint] == nil {
            endpoints[endpoint] = Self.discovered(endpoint, in: metadata)?.text
        }
    }

    /// Whether the grant may be used under the configuration as it is now.
    package func allows(_ account: AccountConfiguration, wire: DaemonConfiguration.Wire) -> Bool {
        let named = Self.named(by: account)
        let sameEndpoints = Endpoint.allCases.allSatisfy { endpoint in
            if let url = named[endpoint] { return endpoints[endpoint] == url.text }
            return !configured.contains(endpoint)
        }
        return sameEndpoints
            && issuer.utf8.elementsEqual(account.issuerName.utf8)
            && namesIssuer == (account.issuer != nil)
            && isRegistered == account.registersClient
            && (isRegistered ? account.clientID.isEmpty || clientID == account.clientID : isClient(of: account))
            && caDigests == [wire.caDigest, account.caDigest].compactMap(\.self)
            && proxy == wire.proxy
    }

    /// Whether both are the same client at the same provider.
    func isAt(_ other: GrantDestination) -> Bool {
        issuer.utf8.elementsEqual(other.issuer.utf8) && clientID == other.clientID
    }

    private func isClient(of account: AccountConfiguration) -> Bool {
        clientID == account.clientID && clientAuthentication == account.clientAuthentication.rawValue
    }

    private static func named(by account: AccountConfiguration) -> [Endpoint: WebURL] {
        var named: [Endpoint: WebURL] = [:]
        named[.token] = account.endpoints.token
        named[.revocation] = account.endpoints.revocation
        named[.userinfo] = account.endpoints.userinfo
        named[.introspection] = account.endpoints.introspection
        named[.endSession] = account.endpoints.endSession
        named[.exchange] = account.exchange?.url
        return named
    }

    private static func discovered(_ endpoint: Endpoint, in metadata: ProviderMetadata) -> WebURL? {
        switch endpoint {
        case .token: metadata.tokenEndpoint
        case .revocation: metadata.revocationEndpoint
        case .userinfo: metadata.userInfoEndpoint
        case .introspection: metadata.introspectionEndpoint
        case .endSession: metadata.endSessionEndpoint
        case .exchange: nil
        }
    }
}

extension GrantDestination: StoredRecord {
    package static let members: [Member<Self>] = [
        .required("issuer", \.issuer),
        .required("names_issuer", \.namesIssuer),
        .required("client_id", \.clientID),
        .required("client_authentication", \.clientAuthentication),
        .required("ca_digests", \.caDigests),
        .unlessDefault("registered", \.isRegistered),
        .optional("proxy", \.proxy),
        .required("endpoints", \.endpoints, as: urls),
        .required("configured", \.configured, as: words),
    ]

    package init() {
        issuer = ""
        namesIssuer = false
        clientID = ""
        isRegistered = false
        endpoints = [:]
        configured = []
        clientAuthentication = ""
        caDigests = []
    }

    private static let urls = [String: String].form.map { urls in
        var endpoints: [Endpoint: String] = [:]
        for endpoint in Endpoint.allCases { endpoints[endpoint] = urls[endpoint.rawValue] }
        return endpoints
    } back: { endpoints in
        Dictionary(uniqueKeysWithValues: endpoints.map { ($0.key.rawValue, $0.value) })
    }

    private static let words = [String].form.map { names in
        Set(names.compactMap(Endpoint.init(rawValue:)))
    } back: { endpoints in
        Endpoint.allCases.filter(endpoints.contains).map(\.rawValue)
    }
}

extension AccountConfiguration {
    /// The account with the client that a grant was issued to: if the file names none, the registered one.
    func asClient(_ destination: GrantDestination) -> AccountConfiguration {
        guard registersClient, destination.isRegistered else { return self }
        var account = self
        account.clientID = destination.clientID
        account.clientAuthentication = ClientAuthenticationMethod(rawValue: destination.clientAuthentication) ?? .none
        return account
    }
}
