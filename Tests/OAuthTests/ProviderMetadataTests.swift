// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Testing

@Suite struct ProviderMetadataTests {
    static let issuers = [
        "auth0": "https://contoso.auth0.com/", "egi-checkin-keycloak": "https://aai.egi.eu/auth/realms/egi",
        "gitlab-oauth-authorization-server": "https://gitlab.com", "globus": "https://auth.globus.org",
        "google": "https://accounts.google.com", "okta-org": "https://example.okta.com",
        "salesforce": "https://login.salesforce.com", "twitch": "https://id.twitch.tv/oauth2",
    ]

    @Test(arguments: issuers.sorted { $0.key < $1.key })
    func `every real document serves a login by code (DISC-6, DISC-8, DISC-9)`(name: String, issuer: String) throws {
        let metadata = try Discovery(issuer: Issuer(issuer)).metadata(
            openID: .json(Vectors.metadata(name)),
            oauth: HTTPResponse(status: 404)
        )
        try metadata.checkAuthorizationCodeFlow()
        #expect(metadata.issuer == issuer)
        #expect(metadata.keySetURL != nil)
    }

    @Test(arguments: [
        ("auth0", true), ("entra-common-v2", false), ("globus", false), ("twitch", false), ("salesforce", false),
        ("google", true), ("okta-org", true), ("egi-checkin-keycloak", true),
        ("gitlab-oauth-authorization-server", true),
    ])
    func `PKCE not advertised is a note and no obstacle (DISC-7, 7636-2)`(name: String, advertised: Bool) throws {
        let metadata = try ProviderMetadata(document: Vectors.metadata(name))
        #expect(metadata.advertisesProofKey == advertised)
        #expect(metadata.notes.contains { $0.hasPrefix("PKCE not advertised") } == !advertised)
    }

    @Test func `a document that lists only plain gets S256 all the same (7636-2)`() throws {
        let metadata = try ProviderMetadata(document: ["code_challenge_methods_supported": ["plain"]])
        #expect(!metadata.advertisesProofKey)
    }

    @Test func `Entra and Twitch have no revocation endpoint (7009-4)`() throws {
        for name in ["entra-common-v2", "twitch"] {
            #expect(try ProviderMetadata(document: Vectors.metadata(name)).revocationEndpoint == nil)
        }
        #expect(try ProviderMetadata(document: Vectors.metadata("google")).revocationEndpoint != nil)
    }

    @Test func `what is not listed has its default (DISC-7)`() throws {
        let metadata = try ProviderMetadata(document: [:])
        #expect(metadata.grantTypes == ["authorization_code", "implicit"])
        #expect(metadata.tokenEndpointAuthenticationMethods == ["client_secret_basic"])
        #expect(metadata.idTokenSigningAlgorithms == ["RS256"])
        #expect(!metadata.sendsIssuerInResponse)
        #expect(try ProviderMetadata(document: Vectors.metadata("globus")).idTokenSigningAlgorithms == ["RS512"])
    }

    @Test func `a demand that is not built is a clear error (9101-1)`() throws {
        let metadata = try ProviderMetadata(document: [
            "authorization_endpoint": "https://h/a", "token_endpoint": "https://h/t",
            "require_signed_request_object": true,
        ])
        #expect(throws: OAuthError.self) { try metadata.checkAuthorizationCodeFlow() }
    }

    @Test func `a missing endpoint is named`() {
        do {
            try ProviderMetadata().checkAuthorizationCodeFlow()
            Issue.record("the metadata was accepted")
        } catch {
            #expect(error.code == .missingEndpoint)
            #expect(error.message.contains("authorization_endpoint"))
        }
    }
}
