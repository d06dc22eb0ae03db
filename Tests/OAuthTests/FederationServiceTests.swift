// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Testing

@testable import OAuth

/// AD FS's second name, `http://HOST/adfs/services/trust`.
@Suite struct FederationServiceTests {
    private let trust = "http://sts.example/adfs/services/trust"

    @Test(arguments: ["http://sts.example/adfs/services/trust", "https://STS.example/adfs/services/trust"])
    func `an ID token may name it where the metadata does`(name: String) throws {
        #expect(try Issuer("https://sts.example/adfs").federationService(named: name) == name)
        let signer = try TokenSigner()
        var rules = try TokenSigner.rules()
        rules.issuer = try Issuer("https://sts.example/adfs")
        rules.federationService = rules.issuer.federationService(named: name)
        #expect(signer.refusal(try signer.token(["iss": .string(name)]), rules) == nil)
        #expect(signer.refusal(try signer.token(["iss": "https://sts.example/adfs"]), rules) == nil)
        #expect(signer.refusal(try signer.token(["iss": .string(name + "/")]), rules)?.check == .issuer)
        rules.federationService = nil
        #expect(signer.refusal(try signer.token(["iss": .string(name)]), rules)?.check == .issuer)
    }

    @Test(arguments: [
        ("https://sts.example/adfs", "http://evil.example/adfs/services/trust"),
        ("https://sts.example/adfs", "http://sts.example/adfs"), ("https://sts.example/adfs", nil),
        ("https://sts.example/adfs", "urn:federation:sts"), ("https://sts.example/adfs", ""),
        ("https://sts.example", "http://sts.example/adfs/services/trust"),
        ("https://sts.example/tenant", "http://sts.example/adfs/services/trust"),
    ])
    func `nothing else counts, whatever the metadata says`(issuer: String, name: String?) throws {
        #expect(try Issuer(issuer).federationService(named: name) == nil)
    }

    @Test func `who took it for the issuer is told which one is`() throws {
        let missing = HTTPResponse(status: 404)
        let error = #expect(throws: OAuthError.self) {
            try Discovery(issuer: Issuer("https://sts.example/adfs/services/trust"))
                .metadata(openID: missing, oauth: missing)
        }
        #expect(error?.message.contains("whose issuer is https://sts.example/adfs") == true)
    }

    @Test func `the metadata's own word is read`() throws {
        let metadata = try ProviderMetadata(document: ["access_token_issuer": .string(trust)])
        #expect(metadata.accessTokenIssuer == trust)
    }
}
