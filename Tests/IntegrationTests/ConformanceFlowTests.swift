// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The OpenID conformance suite's modules for a native client that a good client gets through, by their names
    /// (without `oidcc-client-test-`).
    @Suite struct ConformanceFlow {
        /// An ID token that does not say who the user is, so that the user information has to.
        private static let anonymous = Behaviour.editingIDToken {
            $0.claims["email"] = nil
            $0.claims["preferred_username"] = nil
        }

        @Test func `a whole sign-in (nonce-unless-code-flow, discovery-openid-config, discovery-jwks-uri-keys)`()
            async throws
        {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                let query = WireParameters(String(login.url.split(separator: "?").last ?? ""))
                let nonce = try #require(query["nonce"])
                #expect(!nonce.isEmpty)
                _ = try await BrowserStandIn().open(login.url)
                _ = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
                #expect(stand.provider.count(.openIDConfiguration) == 1 && stand.provider.count(.jwks) == 1)
            }
        }

        /// The provider itself complains of a token that comes anywhere but in the header.
        @Test func `the person comes from the user information (scope-userinfo-claims, userinfo-bearer-header)`()
            async throws
        {
            try await Stand.with { stand in
                stand.provider.script(.token, Self.anonymous)
                try await stand.signIn()
                #expect(stand.provider.count(.userinfo) == 1)
                let identity = try await stand.status()["identity"]
                #expect(identity?.string?.contains("@") == true)
            }
        }

        @Test func `user information about somebody else is not used (userinfo-invalid-sub)`() async throws {
            try await Stand.with { stand in
                stand.provider.script(.token, Self.anonymous)
                stand.provider.script(.userinfo, .editingJSON { $0["sub"] = "somebody-else" })
                try await stand.signIn()
                #expect(stand.provider.count(.userinfo) == 1)
                #expect(try await stand.status()["identity"] == nil)
            }
        }

        @Test(arguments: [false, true])
        func `a signature without a kid (kid-absent-single-jwks, kid-absent-multiple-jwks)`(hasSeveralKeys: Bool)
            async throws
        {
            try await Stand.with { stand in
                try stand.provider.rotateKeys(keepingOld: hasSeveralKeys)
                stand.provider.script(.token, .editingIDToken { $0.header["kid"] = nil })
                try await stand.signIn()
                stand.provider.script(
                    .token,
                    .editingIDToken {
                        $0.header["kid"] = nil
                        $0.signer = .spoiled
                    }
                )
                let login = try await stand.startLogin()
                _ = try await BrowserStandIn().open(login.url)
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(login.id)])
                #expect(refusal.data["check"]?.string == "signature")
            }
        }

        @Test func `metadata of another issuer stops the sign-in (discovery-issuer-mismatch)`() async throws {
            try await Stand.with { stand in
                let other = Behaviour.editingJSON { document in document["issuer"] = "https://other.example" }
                stand.provider.scriptAlways(.openIDConfiguration, other)
                stand.provider.scriptAlways(.oauthMetadata, other)
                let refusal = try await stand.refusal("login.start", ["account": "work"])
                #expect(refusal.kind == "provider_error")
                #expect(stand.provider.count(.authorize) == 0 && stand.provider.count(.token) == 0)
            }
        }
    }
}
