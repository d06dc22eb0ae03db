// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The provider's own logout, in the user's browser.
    @Suite struct EndSession {
        private static let logout: JSONObject = ["account": "work", "end_session": true]

        private static var settings: ProviderSettings {
            var settings = ProviderSettings.approving
            settings.hasEndSession = true
            settings.clients[0].postLogoutURIs = ["http://127.0.0.1/signed-out"]
            return settings
        }

        private func writeAccount(_ world: DaemonWorld, _ issuer: String) throws {
            try world.writeAccount(
                "work",
                issuer: issuer,
                more: #"post_logout_redirect_uri: "http://127.0.0.1/signed-out""#
            )
        }

        @Test func `the browser ends the provider's session and comes back to a page of ours (LOGOUT-1)`() async throws
        {
            try await Stand.with(Self.settings, prepare: { try writeAccount($0, $1.issuer) }) { stand in
                try await stand.signIn()
                let idToken = try #require(try await stand.token(["id_token": true])["id_token"]?.string)
                let result = try await stand.client.result("logout", Self.logout)
                #expect(result["revoked"]?.bool == true)
                #expect(try await stand.keyringItem().isEmpty)
                let url = try #require(result["end_session_url"]?.string)
                #expect(!url.contains(idToken) && !stand.daemon.log.contains(idToken))
                let page = try await BrowserStandIn().open(url)
                #expect(page.status == 200 && page.body.contains("You are signed out"))
                #expect(page.header("Referrer-Policy") == "no-referrer")
                let asked = try #require(stand.provider.events.first { $0.endpoint == .endSession }?.parameters)
                #expect(asked["id_token_hint"] == idToken && asked["client_id"] == "tokend")
                #expect(page.url.hasPrefix(try #require(asked["post_logout_redirect_uri"])))
                // The port is closed once the page is there.
                await #expect(throws: (any Error).self) { try await BrowserStandIn().open(url) }
            }
        }

        @Test func `a restart keeps what the provider's logout needs`() async throws {
            try await Stand.with(Self.settings, prepare: { try writeAccount($0, $1.issuer) }) { stand in
                try await stand.signIn()
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                let result = try await daemon.connect().result("logout", Self.logout)
                let page = try await BrowserStandIn().open(try #require(result["end_session_url"]?.string))
                #expect(page.body.contains("You are signed out"))
                try await daemon.stop()
            }
        }

        @Test func `NanoIDP: the same at a provider that nobody here wrote (LOGOUT-1)`() async throws {
            try await Stand.with { stand in
                let nano = try await NanoIDP.start(in: stand.session.folder)
                try writeAccount(stand.world, nano.issuer)
                _ = try await stand.client.result("config.reload")
                try await stand.signIn()
                let result = try await stand.client.result("logout", Self.logout)
                let page = try await BrowserStandIn().open(try #require(result["end_session_url"]?.string))
                #expect(page.status == 200 && page.body.contains("You are signed out"))
                #expect(page.hops.count == 3 && page.hops[1].hasPrefix(nano.issuer + "/logout?"))
                try await nano.hasLogged("Logout completed for user 'alice'")
                await nano.stop()
            }
        }
    }
}
