// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import OAuth

/// One account as its file describes it: `accounts/NAME.json5`.
package struct AccountConfiguration: Sendable, Equatable {
    /// Endpoints that the file sets; each overrides discovery.
    package struct Endpoints: Sendable, Equatable {
        package var authorization: WebURL?
        package var token: WebURL?
        package var revocation: WebURL?
        package var introspection: WebURL?
        package var userinfo: WebURL?
        package var endSession: WebURL?
        package var jwks: WebURL?
        package var deviceAuthorization: WebURL?
        package var pushedAuthorization: WebURL?
        package var registration: WebURL?

        package init() {}

        /// Those that the file sets, by their names in the file.
        package var named: [String: WebURL] {
            let all: [String: WebURL?] = [
                "authorization": authorization, "token": token, "revocation": revocation,
                "introspection": introspection, "userinfo": userinfo, "end_session": endSession, "jwks": jwks,
                "registration": registration, "device_authorization": deviceAuthorization,
                "pushed_authorization": pushedAuthorization,
            ]
            return all.compactMapValues(\.self)
        }
    }

    package var name: String
    /// Its file.
    package var file = ""
    /// Byte for byte as configured; nil where `endpoints` names authorization and token itself.
    package var issuer: Issuer?
    package var endpoints = Endpoints()
    /// Empty if the file names none, until a provider has registered one.
    package var clientID: String
    /// The file names no client: one is registered at sign-in (RFC 7591).
    package var registersClient = false
    /// How the client authenticates; its secret or key lies in the secret store.
    package var clientAuthentication = ClientAuthenticationMethod.none
    /// Whether the Basic header carries both parts form-encoded, as RFC 6749 (section 2.3.1) wants it.
    package var encodesBasic = true
    package var flow = AccountFlow.browser
    package var scopes: Scope = []
    /// Whether `offline_access` is asked for where the provider lists it.
    package var asksOfflineAccess = true
    /// Whether the first sign-in with `offline_access` asks for consent (OpenID Connect Core, section 11); nil: except
    /// at Microsoft.
    package var asksConsent: Bool?
    /// The only other audiences that an ID token may have; nil: any, provided that `azp` is this client.
    package var trustedAudiences: Set<String>?
    package var resource: [String] = []
    package var audience: String?
    /// In order of preference; empty: the loopback listener at any available address and port.
    package var redirects: [RedirectURI] = []
    /// Where the provider redirects after its own logout, as registered there; on this machine.
    package var postLogoutRedirect: RedirectURI?
    package var authorizationParameters = FormParameters()
    package var tokenParameters = FormParameters()
    package var tokenHeaders = HTTPHeaders()
    /// When the authorization request is pushed (RFC 9126).
    package var push: PushPolicy = .auto
    /// Where the provider's token is exchanged for an application's own, which is then served.
    package var exchange: ApplicationExchange?
    /// An application's server that lists the scopes to ask for.
    package var scopesFrom: WebURL?
    package var refresh = RefreshSettings()
    /// Which programs may have its tokens, and which may change it.
    package var policy = AccountPolicy()
    /// How the provider's requests and answers differ from the standards.
    package var dialect = ProviderDialect()
    /// An additional CA, as a path to a PEM file.
    package var caFile: String?
    /// The SHA-256 of that file's content; part of where a grant may go.
    package var caDigest: String?

    package init(name: String, issuer: Issuer?, clientID: String) {
        self.name = name
        self.issuer = issuer
        self.clientID = clientID
    }

    /// The issuer in results and attributes: the configured one, or the origin of the token endpoint.
    package var issuerName: String {
        issuer?.text ?? endpoints.token?.origin ?? ""
    }

    /// The host by which users know the provider.
    package var issuerHost: String {
        issuer?.url.host ?? endpoints.token?.host ?? ""
    }
}
