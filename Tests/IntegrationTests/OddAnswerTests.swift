// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Providers that answer oddly: what is taken, what is refused, and what is kept either way.
    @Suite struct OddAnswers {
        struct Oddity: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let edit: @Sendable (inout JSONObject) -> Void

            init(_ name: String, _ edit: @escaping @Sendable (inout JSONObject) -> Void) {
                testDescription = name
                self.edit = edit
            }
        }

        static let taken = [
            Oddity("bearer in lower case") { $0["token_type"] = "bearer" },
            Oddity("a lifetime as a string") { $0["expires_in"] = "3600" },
            Oddity("no lifetime") { $0["expires_in"] = nil },
            Oddity("no scope") { $0["scope"] = nil },
            Oddity("members of its own") { $0["instance_url"] = "https://instance.example" },
            Oddity("a token of 48 KiB") { $0["access_token"] = .string(String(repeating: "a", count: 48 << 10)) },
        ]

        @Test(arguments: taken)
        func `an answer that is odd and lawful is taken`(oddity: Oddity) async throws {
            try await Stand.with { stand in
                var behaviour = Behaviour.editingJSON(oddity.edit)
                // It belongs to the access token that was edited away.
                behaviour.editIDToken = { $0.claims["at_hash"] = nil }
                stand.provider.script(.token, behaviour)
                let page = try await stand.signIn()
                #expect(page.status == 200)
                let token = try await stand.token()
                #expect(token["token_type"]?.string?.lowercased() == "bearer")
            }
        }

        static let refused = [
            Oddity("no token type") { $0["token_type"] = nil },
            Oddity("a type that is not for bearers") { $0["token_type"] = "mac" },
            Oddity("no access token") { $0["access_token"] = nil },
            Oddity("a token with a line end") { $0["access_token"] = "a\r\nb" },
            Oddity("an error beside the token") { $0["error"] = "invalid_grant" },
        ]

        @Test(arguments: refused)
        func `an answer that breaks the rules is refused, and nothing is served`(oddity: Oddity) async throws {
            try await Stand.with { stand in
                stand.provider.script(.token, .editingJSON(oddity.edit))
                let login = try await stand.startLogin()
                _ = try await BrowserStandIn().open(login.url)
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(login.id)])
                #expect(["provider_error", "login_failed"].contains(refusal.kind))
                #expect(try await stand.refusal("token.get", ["account": "work"]).kind == "login_required")
            }
        }

        @Test func `without a refresh token the grant is kept and said not to be renewable`() async throws {
            var settings = ProviderSettings.approving
            settings.refreshTokens = .none
            try await Stand.with(settings) { stand in
                try await stand.signIn()
                #expect(try await stand.token()["renewable"]?.bool == false)
                #expect(try await stand.status()["renewable"]?.bool == false)
            }
        }

        @Test(arguments: [SignatureAlgorithm.rs256, .es256, .eddsa])
        func `a new signing key is fetched when an ID token names it`(algorithm: SignatureAlgorithm) async throws {
            try await Stand.with { stand in
                stand.provider.publishJunk([
                    ["kty": "AKP", "alg": "made-up", "kid": "junk"], "no key at all", ["kty": "EC", "crv": "P-256"],
                ])
                try await stand.signIn()
                try stand.provider.rotateKeys(keepingOld: false, algorithm: algorithm)
                try await stand.signIn()
                #expect(try await stand.status()["state"]?.string == "ready")
            }
        }

        @Test func `a login that comes back as someone else is refused, and the old grant stays`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                stand.provider.change { $0.user.subject = "subject-2" }
                let login = try await stand.startLogin()
                _ = try await BrowserStandIn().open(login.url)
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(login.id)])
                #expect(refusal.kind == "login_failed")
                #expect(refusal.data["check"]?.string == "subject")
                #expect(try await stand.status()["subject"]?.string == "subject-1")
                _ = try await stand.token()
            }
        }

        @Test func `a refresh that speaks of someone else serves nothing until a new login`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                stand.provider.script(.token, .editingIDToken { $0.claims["sub"] = "subject-2" })
                for _ in 0..<2 {
                    let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                    #expect(refusal.kind == "login_required")
                    #expect(refusal.data["reason"]?.string == "subject")
                }
                let live = try #require(stand.provider.liveRefreshTokens.first)
                #expect(try await stand.keyringItem().contains(live), "its new refresh token is stored all the same")
            }
        }

        @Test(arguments: ["http://127.0.0.1/callback", "http://[::1]/callback", "http://localhost/callback"])
        func `the answer comes home at each loopback address`(redirect: String) async throws {
            try await Stand.with(prepare: { world, provider in
                try world.writeAccount("work", issuer: provider.issuer, more: "redirect_uri: \"\(redirect)\"")
            }) { stand in
                let page = try await stand.signIn()
                #expect(page.status == 200)
                #expect(page.url.hasPrefix(String(redirect.dropLast("/callback".count))))
            }
        }
    }
}
