// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Accounts without a client ID: the provider registers one at sign-in (RFC 7591).
    @Suite struct ClientRegistrations {
        private static func account(_ issuer: String, _ scopes: [String], more: String = "") -> String {
            let list = scopes.map { "\"\($0)\"" }.joined(separator: ", ")
            return "{ issuer: \"\(issuer)\", scopes: [\(list)], \(more) }"
        }

        /// Signs in twice, with a restart and a renewal between, as one client that stays the same.
        ///
        /// - Returns: the client's ID.
        private func live(
            _ stand: Stand,
            signIn: (Stand.Login) async throws -> BrowserStandIn.Page
        ) async throws -> String {
            let account: JSONObject = ["account": "reg"]
            let login = try await stand.startLogin("reg")
            #expect(try await signIn(login).status == 200)
            _ = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
            #expect(try await stand.client.result("token.get", ["account": "reg", "fresh": true])["refreshed"] == true)
            let client = try #require(try await stand.status("reg")["client_id"]?.string)
            #expect(!client.isEmpty && client != "tokend")
            try await stand.daemon.stop()
            let daemon = try await DaemonProcess.start(stand.world)
            let again = Stand(
                session: stand.session,
                world: stand.world,
                provider: stand.provider,
                daemon: daemon,
                client: try daemon.connect()
            )
            let fresh = try await again.client.result("token.get", ["account": "reg", "fresh": true])
            #expect(fresh["refreshed"] == true)
            _ = try await again.client.result("logout", account)
            #expect(try await again.status("reg")["client_id"]?.string == client, "a logout keeps the client")
            let second = try await again.startLogin("reg")
            #expect(second.redirectURI == login.redirectURI, "the port that is registered is had again")
            #expect(try await signIn(second).status == 200)
            _ = try await again.client.result("login.wait", ["login_id": .string(second.id)])
            #expect(try await again.status("reg")["client_id"]?.string == client)
            try await daemon.stop()
            return client
        }

        @Test func `a client is registered once, with the secret that the provider gives out (7591-1, 7591-2)`()
            async throws
        {
            var settings = ProviderSettings.approving
            settings.hasRegistration = true
            settings.registeredAuthentication = "client_secret_basic"
            settings.initialAccessToken = "initial-0123456789"
            try await Stand.with(settings) { stand in
                let tokenctl = Tokenctl(stand.world)
                let made = try await tokenctl.run(
                    "account",
                    "add",
                    "reg",
                    "--issuer",
                    stand.provider.issuer,
                    "--register",
                    "--scope",
                    "openid",
                    "offline_access"
                )
                #expect(made.exitCode == 0, "\(made)")
                let refusal = try await stand.refusal("login.start", ["account": "reg"])
                #expect(refusal.kind == "provider_error" && refusal.message.contains("initial_access_token"))
                let given = try await stand.client.result(
                    "account.secret",
                    ["account": "reg", "kind": "initial_access_token", "value": "initial-0123456789"]
                )
                #expect(given == [:])
                _ = try await live(stand) { try await BrowserStandIn().signIn($0.url) }
                #expect(stand.provider.count(.registration) == 2)
            }
        }

        @Test func `NanoIDP registers a client`() async throws {
            try await Stand.with { stand in
                let nano = try await NanoIDP.start(in: stand.session.folder)
                try stand.world.writeAccount("reg", Self.account(nano.issuer, ["openid", "email", "offline_access"]))
                _ = try await stand.client.result("config.reload")
                _ = try await live(stand) { try await BrowserStandIn().signIn($0.url) }
                await nano.stop()
            }
        }

        @Test func `django-oauth-toolkit registers a client`() async throws {
            try await Stand.with { stand in
                let toolkit = try await ToolkitProvider.start(in: stand.session.folder, killsFamily: true, grace: 0)
                try stand.world.writeAccount("reg", Self.account(toolkit.issuer, ["email", "offline_access"]))
                _ = try await stand.client.result("config.reload")
                _ = try await live(stand) { try await toolkit.signIn($0.url) }
                await toolkit.stop()
            }
        }

        /// The clients that it registers are confidential ones, so the account asks for a secret.
        @Test func `Glewlwyd registers a client for the port that is open`() async throws {
            try await Stand.with { stand in
                let glewlwyd = try await Glewlwyd.start(in: stand.session.folder)
                try stand.world.writeAccount(
                    "reg",
                    Self.account(
                        glewlwyd.issuer,
                        ["openid", "offline_access"],
                        more: "client_authentication: \"client_secret_basic\""
                    )
                )
                _ = try await stand.client.result("config.reload")
                _ = try await live(stand) { login in
                    try await glewlwyd.agree(to: login.url)
                    return try await glewlwyd.signIn(login.url)
                }
                await glewlwyd.stop()
            }
        }
    }
}
