// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The OpenID conformance suite's modules for a native client, by their names (without `oidcc-client-test-`),
    /// played by the project's own provider.
    @Suite struct Conformance {
        /// A login whose ID token is not in order.
        struct Module: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let check: String
            let edit: @Sendable (inout IDTokenDraft) -> Void

            init(_ name: String, fails check: String, _ edit: @escaping @Sendable (inout IDTokenDraft) -> Void) {
                testDescription = name
                self.check = check
                self.edit = edit
            }
        }

        static let refused = [
            Module("nonce-invalid", fails: "nonce") { $0.claims["nonce"] = "another" },
            Module("missing-iat", fails: "issued_at") { $0.claims["iat"] = nil },
            Module("missing-sub", fails: "subject") { $0.claims["sub"] = nil },
            Module("missing-aud", fails: "audience") { $0.claims["aud"] = nil },
            Module("invalid-aud", fails: "audience") { $0.claims["aud"] = "another" },
            Module("invalid-secondary-aud", fails: "azp") { $0.claims["aud"] = ["tokend", "another"] },
            Module("invalid-iss", fails: "issuer") { $0.claims["iss"] = "https://another.example" },
            Module("invalid-expired-exp", fails: "expiry") { $0.claims["exp"] = 1_600_000_000 },
            Module("invalid-athash", fails: "at_hash") { $0.claims["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" },
            Module("idtoken-sig-none", fails: "algorithm") { $0.signer = .unsigned },
            Module("invalid-sig", fails: "signature") { $0.signer = .spoiled },
            Module("invalid-null-alg", fails: "algorithm") { $0.header["alg"] = "null" },
            Module("invalid-sig-hs256", fails: "algorithm") { $0.header["alg"] = "HS256" },
        ]

        @Test(arguments: refused)
        func `a login that fails a module keeps nothing`(module: Module) async throws {
            try await Stand.with { stand in
                stand.provider.script(.token, .editingIDToken(module.edit))
                let login = try await stand.startLogin()
                _ = try await BrowserStandIn().open(login.url)
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(login.id)])
                #expect(refusal.kind == "login_failed")
                #expect(refusal.data["check"]?.string == module.check)
                #expect(stand.provider.count(.userinfo) == 0, "the test stops before the user information")
                #expect(try await stand.refusal("token.get", ["account": "work"]).kind == "login_required")
            }
        }

        @Test(arguments: [SignatureAlgorithm.rs256, .es256])
        func `a turned bit fails, whole it passes (invalid-sig-rs256, invalid-sig-es256, idtoken-sig-rs256)`(
            algorithm: SignatureAlgorithm
        ) async throws {
            try await Stand.with { stand in
                try stand.provider.rotateKeys(keepingOld: false, algorithm: algorithm)
                stand.provider.script(.token, .editingIDToken { $0.signer = .spoiled })
                let login = try await stand.startLogin()
                _ = try await BrowserStandIn().open(login.url)
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(login.id)])
                #expect(refusal.data["check"]?.string == "signature")
                try await stand.signIn()
            }
        }

        /// Also `signing-key-rotation-just-before-signing`.
        @Test func `a new key is looked for (ignores-unparseable-key-in-jwks, signing-key-rotation)`()
            async throws
        {
            try await Stand.with { stand in
                stand.provider.publishJunk([["kty": "AKP", "alg": "ML-DSA-44", "pub": "x"], ["kty": "MADE-UP"]])
                try await stand.signIn()
                try stand.provider.rotateKeys(keepingOld: true)
                try await stand.signIn()
            }
        }

        /// A refresh whose ID token is for another one (`refresh-token-invalid-…`).
        static let refusedRefreshes = [
            Module("refresh-token-invalid-issuer", fails: "issuer") { $0.claims["iss"] = "https://another.example" },
            Module("refresh-token-invalid-sub", fails: "subject") { $0.claims["sub"] = "subject-2" },
            Module("refresh-token-invalid-aud", fails: "audience") { $0.claims["aud"] = "another" },
        ]

        @Test(arguments: refusedRefreshes)
        func `a refresh that fails a module is not served, and its refresh token is kept`(module: Module) async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let held = try await stand.token()["access_token"]
                stand.provider.script(.token, .editingIDToken(module.edit))
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(["provider_error", "login_required"].contains(refusal.kind))
                let live = try #require(stand.provider.liveRefreshTokens.first)
                #expect(try await stand.keyringItem().contains(live))
                #expect(stand.provider.breaches.isEmpty)
                if module.check != "subject" { #expect(try await stand.token()["access_token"] == held) }
            }
        }

        @Test func `a refreshed ID token of another azp is not used, its access token is (refresh-token-invalid-azp)`()
            async throws
        {
            try await Stand.with { stand in
                try await stand.signIn()
                let before = try await stand.token(["id_token": true])
                stand.provider.script(.token, .editingIDToken { $0.claims["azp"] = "another" })
                let after = try await stand.token(["fresh": true, "id_token": true])
                #expect(after["access_token"] != before["access_token"])
                #expect(before["id_token"] != nil && after["id_token"] == before["id_token"])
            }
        }

        /// `refresh-token`: the new access token is the one that is used.
        @Test func `a refresh serves the new token (refresh-token)`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let first = try #require(try await stand.token()["access_token"]?.string)
                let second = try #require(try await stand.token(["fresh": true])["access_token"]?.string)
                #expect(first != second)
                #expect(stand.provider.accepts(accessToken: second))
            }
        }
    }
}
