// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Testing

/// An issuer of a provider that names its tenants by number (DISC-5, A15).
@Suite struct IssuerTemplateTests {
    private static let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
    private static let number = "9188040d-6c67-4c5b-b112-36a304b66dad"

    private static func named(_ tenant: String) -> String { "https://login.microsoftonline.com/\(tenant)/v2.0" }

    private static func read(_ configured: String, naming issuer: String) throws -> ProviderMetadata {
        let discovery = try Discovery(issuer: Issuer(named(configured), template: template))
        let document: JSONObject = ["issuer": .string(issuer), "token_endpoint": "https://login.microsoftonline.com/t"]
        return try discovery.metadata(openID: .json(document), oauth: nil)
    }

    @Test(arguments: ["common", "organizations", "consumers", "contoso.onmicrosoft.com"])
    func `metadata may hold the template, or the tenant's number (DISC-5)`(tenant: String) throws {
        _ = try Self.read(tenant, naming: Self.template)
        _ = try Self.read(tenant, naming: Self.named(Self.number))
    }

    @Test(arguments: [
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0",
        "https://login.microsoftonline.com/common/v2.0",
        "https://evil.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
        "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0/",
        "https://login.microsoftonline.com/a/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", "",
    ])
    func `anything else is another issuer's (DISC-4)`(issuer: String) {
        #expect(throws: OAuthError.self) { try Self.read("organizations", naming: issuer) }
    }

    @Test func `an issuer that has the number already is held to the letter`() throws {
        _ = try Self.read(Self.number, naming: Self.named(Self.number))
        #expect(throws: OAuthError.self) { try Self.read(Self.number, naming: Self.template) }
        let other = "9188040d-6c67-4c5b-b112-36a304b66dae"
        #expect(throws: OAuthError.self) { try Self.read(Self.number, naming: Self.named(other)) }
        #expect(try !Issuer(Self.named(Self.number), template: Self.template).matches(Self.named(other)))
    }
}
