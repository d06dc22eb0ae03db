// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Tokens that stay fresh, whatever the provider does.
    @Suite struct FreshTokens {
        /// Half of this life is the least time between two refreshes that nobody asked for.
        static var shortLived: ProviderSettings {
            var settings = ProviderSettings.approving
            settings.accessTokenLifetime = 20
            return settings
        }

        @Test func `a token is refreshed ahead of its end, though nobody asks`() async throws {
            try await Stand.with(Self.shortLived) { stand in
                try await stand.signIn()
                try await stand.provider.next(.token)
                let held = try #require(try await stand.token()["access_token"]?.string)
                let refresh = try await stand.provider.next(.token)
                #expect(refresh.parameters["grant_type"] == "refresh_token")
                #expect(stand.provider.accepts(accessToken: held), "the old one still holds")
                let token = try await stand.token()
                #expect(stand.provider.accepts(accessToken: try #require(token["access_token"]?.string)))
            }
        }

        @Test func `many clients at once cost one refresh`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let held = try await stand.token()["access_token"]?.string
                let gate = Gate()
                stand.provider.script(.token, .hang(until: gate))
                let clients = try (0..<20).map { _ in try stand.daemon.connect() }
                let asked = clients.map { $0.ask("token.get", ["account": "work", "fresh": true]) }
                try await stand.provider.next(.token, .arrived)
                // A cached read waits for nothing.
                #expect(try await stand.token()["access_token"]?.string == held)
                gate.open()
                var served: Set<String> = []
                for (client, id) in zip(clients, asked) {
                    let result = try await client.reply(to: id)["result"]?.object
                    served.insert(try #require(result?["access_token"]?.string))
                }
                #expect(served.count == 1)
                #expect(!served.contains(held ?? ""))
                #expect(stand.provider.count(grantType: "refresh_token") == 1)
            }
        }

        @Test func `a rejected token is replaced, and only if it is still the held one`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let first = try #require(try await stand.token()["access_token"])
                let second = try await stand.token(["rejected": first])
                #expect(second["refreshed"]?.bool == true)
                #expect(second["access_token"] != first)
                let third = try await stand.token(["rejected": first])
                #expect(third["access_token"] == second["access_token"])
                #expect(stand.provider.count(grantType: "refresh_token") == 1)
            }
        }

        @Test func `a grant that the provider ended asks for a login, and its secrets go`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                stand.provider.revokeGrants()
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.kind == "login_required")
                #expect(refusal.data["reason"]?.string == "ended")
                #expect(refusal.data["oauth_error"]?.string == "invalid_grant")
                #expect(try await stand.status()["state"]?.string == "login_required")
                #expect(try await !stand.keyringItem().contains("rt-"))
                try await stand.signIn()
                #expect(try await stand.status()["state"]?.string == "ready")
            }
        }

        @Test(arguments: [
            Behaviour.answer(.text("busy", status: 503)), .answer(.oauthError("temporarily_unavailable", status: 503)),
            .answer(.text("slow down", status: 429)), .captivePortal, .closeBeforeCommit, .raw("no HTTP\r\n\r\n"),
        ])
        func `a passing fault leaves the held token and the grant`(fault: Behaviour) async throws {
            var settings = ProviderSettings.approving
            settings.refreshTokens = .rotating(grace: .seconds(60))
            try await Stand.with(settings) { stand in
                try await stand.signIn()
                let held = try #require(try await stand.token()["access_token"])
                stand.provider.scriptAlways(.token, fault)
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.kind == "provider_unreachable")
                #expect(try await stand.token()["access_token"] == held)
                #expect(try await stand.keyringItem().contains("rt-"))
            }
        }

        @Test func `a refresh whose answer is lost is sent once more with the same token`() async throws {
            var settings = ProviderSettings.approving
            settings.refreshTokens = .rotating(grace: .seconds(60))
            try await Stand.with(settings) { stand in
                try await stand.signIn()
                stand.provider.script(.token, .closeAfterCommit())
                #expect(try await stand.token(["fresh": true])["refreshed"]?.bool == true)
                let refreshes = stand.provider.events.filter {
                    $0.endpoint == .token && $0.phase == .arrived && $0.parameters["grant_type"] == "refresh_token"
                }
                #expect(refreshes.count == 2)
                #expect(Set(refreshes.map { $0.parameters["refresh_token"] }).count == 1)
            }
        }

        @Test func `a rotated token is in the keyring before anyone sees its access token`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let fresh = try await stand.token(["fresh": true])
                #expect(fresh["refreshed"]?.bool == true)
                let live = try #require(stand.provider.liveRefreshTokens.first)
                #expect(try await stand.keyringItem().contains(live))
                try await stand.daemon.kill()
                let next = try await DaemonProcess.start(stand.world)
                let result = try await next.connect().result("token.get", ["account": "work", "fresh": true])
                #expect(result["refreshed"]?.bool == true)
                try await next.stop()
            }
        }

        @Test func `a client that leaves does not end the refresh that it asked for`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let gate = Gate()
                stand.provider.script(.token, .hang(until: gate))
                try await stand.provider.next(.token)
                let client = try stand.daemon.connect()
                client.ask("token.get", ["account": "work", "fresh": true])
                try await stand.provider.next(.token, .arrived)
                client.hangUp()
                gate.open()
                try await stand.provider.next(.token)
                let token = try await stand.token(["fresh": true])
                #expect(stand.provider.accepts(accessToken: try #require(token["access_token"]?.string)))
                #expect(stand.provider.count(grantType: "refresh_token") == 1)
            }
        }
    }
}
