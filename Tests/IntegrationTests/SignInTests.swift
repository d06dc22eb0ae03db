// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    @Suite struct SignIn {
        @Test func `a person signs in, and any app gets a token`() async throws {
            try await Stand.with { stand in
                let page = try await stand.signIn()
                #expect(page.status == 200)
                #expect(!page.url.contains("?"), "the page's address carries no code")
                let token = try await stand.token()
                #expect(stand.provider.accepts(accessToken: try #require(token["access_token"]?.string)))
                #expect(token["token_type"]?.string == "Bearer")
                #expect(token["issuer"]?.string == stand.provider.issuer)
                #expect(token["renewable"]?.bool == true)
                #expect(token["refreshed"]?.bool == false)
                #expect((3500...3600).contains(try #require(token["expires_in"]?.int64)))
                let status = try await stand.status()
                #expect(status["state"]?.string == "ready")
                #expect(status["identity"]?.string == "alice@example.org")
                #expect(stand.provider.count(.token) == 1)
            }
        }

        @Test func `a person signs in at a form`() async throws {
            try await Stand.with(ProviderSettings()) { stand in
                let page = try await stand.signIn()
                #expect(page.status == 200)
                #expect(try await stand.status()["subject"]?.string == "subject-1")
            }
        }

        @Test func `the grant is in the keyring before the page says so`() async throws {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                #expect(try await stand.keyringItem().isEmpty)
                _ = try await BrowserStandIn().signIn(login.url)
                let item = try await stand.keyringItem()
                #expect(item.contains("attribute.application = tokend"))
                #expect(item.contains("attribute.issuer = \(stand.provider.issuer)"))
                #expect(item.contains("attribute.client_id = tokend"))
                #expect(item.contains(try #require(stand.provider.liveRefreshTokens.first)))
            }
        }

        @Test func `the port is closed once the page is there`() async throws {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                let address = try #require(HTTPAddress(login.redirectURI))
                let idle = try RawConnection(address)
                _ = try await BrowserStandIn().signIn(login.url)
                try await blocking { idle.awaitEnd() }
                #expect(throws: SystemCallError.self) { try RawConnection(address) }
            }
        }

        @Test func `a person who says no ends the login, and no token is asked for`() async throws {
            var settings = ProviderSettings()
            settings.authorization = .deny(error: "access_denied")
            try await Stand.with(settings) { stand in
                let login = try await stand.startLogin()
                let page = try await BrowserStandIn().open(login.url)
                #expect(!page.body.contains("Signed in"))
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(login.id)])
                #expect(refusal.kind == "login_failed")
                #expect(refusal.data["oauth_error"]?.string == "access_denied")
                #expect(stand.provider.count(.token) == 0)
            }
        }

        @Test func `a second start joins the first login, and cancelling it closes the port`() async throws {
            try await Stand.with { stand in
                let first = try await stand.startLogin()
                let second = try await stand.startLogin()
                #expect(first.id == second.id)
                let address = try #require(HTTPAddress(first.redirectURI))
                let idle = try RawConnection(address)
                let id: JSONObject = ["login_id": .string(first.id)]
                let wait = stand.client.ask("login.wait", id)
                _ = try await stand.client.result("login.cancel", id)
                let reply = try await stand.client.reply(to: wait)
                #expect(DaemonRefusal(reply).kind == "cancelled")
                try await blocking { idle.awaitEnd() }
                #expect(throws: SystemCallError.self) { try RawConnection(address) }
            }
        }

        @Test func `anyone may wait for a login, also after its end`() async throws {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                let id: JSONObject = ["login_id": .string(login.id)]
                let others = try [stand.daemon.connect(), stand.daemon.connect()]
                let waits = others.map { $0.ask("login.wait", id) }
                _ = try await BrowserStandIn().signIn(login.url)
                for (other, wait) in zip(others, waits) {
                    let result = try await other.reply(to: wait)["result"]?.object
                    #expect(result?["subject"]?.string == "subject-1")
                }
                let late = try await stand.client.result("login.wait", id)
                #expect(late["account"]?.string == "work")
                #expect(try await stand.refusal("login.wait", ["login_id": "no-such-login"]).kind == "login_unknown")
            }
        }

        @Test(arguments: ["nonce", "iss", "aud"])
        func `an ID token with a wrong claim is refused and nothing is kept`(claim: String) async throws {
            try await Stand.with { stand in
                stand.provider.script(.token, .editingIDToken { $0.claims[claim] = "https://someone.example" })
                let login = try await stand.startLogin()
                _ = try await BrowserStandIn().open(login.url)
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(login.id)])
                #expect(refusal.kind == "login_failed")
                #expect(refusal.data["check"]?.string == ["nonce": "nonce", "iss": "issuer", "aud": "audience"][claim])
                #expect(try await !stand.keyringItem().contains("rt-"))
                #expect(try await stand.refusal("token.get", ["account": "work"]).kind == "login_required")
            }
        }

        @Test(arguments: [IDTokenDraft.Signer.stranger, .spoiled, .unsigned])
        func `an ID token that the provider did not sign is refused`(signer: IDTokenDraft.Signer) async throws {
            try await Stand.with { stand in
                stand.provider.script(.token, .editingIDToken { $0.signer = signer })
                let login = try await stand.startLogin()
                _ = try await BrowserStandIn().open(login.url)
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(login.id)])
                #expect(refusal.kind == "login_failed")
                #expect(["signature", "algorithm"].contains(refusal.data["check"]?.string))
            }
        }

        @Test func `a code exchange whose answer is lost is not tried again`() async throws {
            try await Stand.with { stand in
                stand.provider.script(.token, .closeAfterCommit())
                let login = try await stand.startLogin()
                _ = try await BrowserStandIn().open(login.url)
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(login.id)])
                #expect(refusal.kind == "provider_unreachable")
                #expect(stand.provider.count(.token) == 1)
            }
        }
    }
}
