// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
import JOSE

/// A provider's metadata (RFC 8414, section 2; OpenID Connect Discovery 1.0, section 3).
///
/// Every endpoint is `https`, or `http` on a loopback address. The members can be set, so that an account's own
/// endpoints override the discovered ones.
package struct ProviderMetadata: Sendable {
    /// The issuer, byte for byte; nil for an account with endpoints and no issuer.
    package var issuer: String?

    /// For the browser (RFC 6749, section 3.1).
    package var authorizationEndpoint: WebURL?

    /// For codes and refresh tokens (RFC 6749, section 3.2).
    package var tokenEndpoint: WebURL?

    /// Revokes tokens (RFC 7009); several providers have none.
    package var revocationEndpoint: WebURL?

    /// Introspects tokens (RFC 7662).
    package var introspectionEndpoint: WebURL?

    /// Returns the user's claims (OpenID Connect Core, section 5.3).
    package var userInfoEndpoint: WebURL?

    /// The keys that sign ID tokens (`jwks_uri`).
    package var keySetURL: WebURL?

    /// Signs the browser out (OpenID Connect RP-Initiated Logout).
    package var endSessionEndpoint: WebURL?

    /// Registers clients (RFC 7591).
    package var registrationEndpoint: WebURL?

    /// Starts a device login (RFC 8628).
    package var deviceAuthorizationEndpoint: WebURL?

    /// Accepts pushed authorization requests (RFC 9126).
    package var pushedAuthorizationRequestEndpoint: WebURL?

    /// The listed scopes; a provider need not list all that it knows.
    package var scopesSupported: Scope = []

    /// The listed grant types; RFC 8414's default if there is no list.
    package var grantTypes: [String] = ["authorization_code", "implicit"]

    /// The listed client authentication; RFC 8414's default if there is no list. A public client is possible even if
    /// `none` is not listed (DISC-8).
    package var tokenEndpointAuthenticationMethods: [String] = ["client_secret_basic"]

    /// Empty without a list, which in practice says nothing: S256 is sent all the same.
    package var codeChallengeMethods: [String] = []

    /// The listed signature algorithms of ID tokens; RS256 if there is no list.
    package var idTokenSigningAlgorithms: [String] = ["RS256"]

    /// Whether every authorization response carries `iss` (RFC 9207, section 2.4).
    package var sendsIssuerInResponse = false

    /// Whether authorization requests must be pushed (RFC 9126, section 5).
    package var requiresPushedRequests = false

    /// Whether authorization requests must be signed objects (RFC 9101, section 10.5).
    package var requiresSignedRequests = false

    /// The issuer of access tokens, if the document states another (AD FS's `access_token_issuer`).
    package var accessTokenIssuer: String?

    /// Why an endpoint in the document is unusable, by its member's name.
    package var unusable: [String: String] = [:]

    /// Notes about the document for a user, safe to print; none is an error.
    package var notes: [String] = []

    /// Metadata without an endpoint, for an account that names its own.
    package init() {}

    /// Whether S256 is listed. Many providers that accept S256 list no method, so `false` is shown but changes nothing
    /// (DISC-7).
    package var advertisesProofKey: Bool { codeChallengeMethods.contains(ProofKey.method) }

    /// The endpoint behind a key path, or an error that names it.
    package func require(
        _ endpoint: KeyPath<ProviderMetadata, WebURL?>,
        named name: String
    ) throws(OAuthError) -> WebURL {
        guard let url = self[keyPath: endpoint] else {
            throw OAuthError(.missingEndpoint, "the provider's metadata \(lack(of: name))")
        }
        return url
    }

    /// Why there is no endpoint of that name, after "the provider's metadata".
    package func lack(of name: String) -> String {
        unusable[name].map { "names a \(name) that \($0)" } ?? "has no \(name)"
    }

    /// Checks, before a browser opens, that ID tokens of this provider could be verified: `none` and the algorithms
    /// with a shared secret prove nothing to a public client (OpenID Connect Core, section 3.1.3.7).
    package func checkIDTokens() throws(OAuthError) {
        guard SignatureAlgorithm.allowed(by: idTokenSigningAlgorithms).isEmpty else { return }
        let listed = idTokenSigningAlgorithms.prefix(8).joined(separator: ", ").shown() ?? "none is listed"
        throw OAuthError(
            .unsupported,
            "the provider signs ID tokens with nothing that can be verified "
                + "(id_token_signing_alg_values_supported: \(listed)); RS256, PS256, ES256 or EdDSA could be"
        )
    }

    /// Checks, before a browser opens, that a login by authorization code is possible.
    package func checkAuthorizationCodeFlow() throws(OAuthError) {
        _ = try require(\.authorizationEndpoint, named: "authorization_endpoint")
        _ = try require(\.tokenEndpoint, named: "token_endpoint")
        if requiresSignedRequests {
            throw OAuthError(
                .unsupported,
                "the provider requires signed request objects (RFC 9101), which are not supported"
            )
        }
    }
}
