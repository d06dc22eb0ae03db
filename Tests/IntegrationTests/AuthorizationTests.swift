// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// What is asked of a provider beyond an ordinary sign-in.
    @Suite struct Authorization {
        private static let account: JSONObject = ["account": "work"]

        /// Starts a login and brings it to its end; nil where it failed.
        private func signIn(_ stand: Stand, _ more: JSONObject) async throws -> JSONObject {
            var params = Self.account
            for member in more { params[member.name] = member.value }
            let started = try await stand.client.result("login.start", params)
            _ = try await BrowserStandIn().signIn(try #require(started["authorization_url"]?.string))
            return try await stand.client.result("login.wait", ["login_id": started["login_id"] ?? .null])
        }

        @Test func `a provider that wants pushed requests gets them, and the browser a name (9126-1)`() async throws {
            var settings = ProviderSettings.approving
            settings.pushedRequests = .required
            try await Stand.with(settings) { stand in
                let started = try await stand.client.result("login.start", Self.account)
                let url = try #require(started["authorization_url"]?.string)
                #expect(url.contains("request_uri=urn") && !url.contains("state="))
                _ = try await BrowserStandIn().signIn(url)
                _ = try await stand.client.result("login.wait", ["login_id": started["login_id"] ?? .null])
                #expect(try await stand.token()["renewable"]?.bool == true)
                #expect(stand.provider.count(.pushedAuthorization) == 1)
            }
        }

        @Test func `a name that was used is made anew for who starts again (9126-1)`() async throws {
            var settings = ProviderSettings.approving
            settings.pushedRequests = .required
            try await Stand.with(settings) { stand in
                let first = try await stand.client.result("login.start", Self.account)
                // Somebody's browser loads ahead and does not follow.
                _ = try await BrowserStandIn().request("GET", try #require(first["authorization_url"]?.string))
                let second = try await stand.client.result("login.start", Self.account)
                #expect(first["login_id"] == second["login_id"])
                _ = try await BrowserStandIn().signIn(try #require(second["authorization_url"]?.string))
                _ = try await stand.client.result("login.wait", ["login_id": first["login_id"] ?? .null])
                #expect(stand.provider.count(.pushedAuthorization) == 2)
            }
        }

        @Test func `a pushed request that is refused opens no browser (9126-2)`() async throws {
            var settings = ProviderSettings.approving
            settings.pushedRequests = .required
            try await Stand.with(settings) { stand in
                stand.provider.script(.pushedAuthorization, .answer(.oauthError("invalid_scope")))
                let refusal = try await stand.refusal("login.start", Self.account)
                #expect(refusal.kind == "provider_error" && refusal.data["oauth_error"]?.string == "invalid_scope")
                #expect(stand.provider.count(.authorize) == 0)
            }
        }

        @Test func `an API that wants a stronger sign-in leads to one, and to no refresh (9470-1, 6750-3)`()
            async throws
        {
            try await Stand.with { stand in
                try await stand.signIn()
                let old = try #require(try await stand.token()["access_token"]?.string)
                let challenge =
                    #"Bearer error="insufficient_user_authentication", acr_values="gold", max_age="60""#
                let refusal = try await stand.refusal(
                    "token.get",
                    ["account": "work", "rejected": .string(old), "challenge": .string(challenge)]
                )
                #expect(refusal.kind == "login_required" && refusal.data["reason"]?.string == "step_up")
                var wanted: JSONObject = ["acr_values": .string("gold")]
                wanted["max_age"] = refusal.data["max_age"]
                stand.provider.script(.token, .editingIDToken { $0.claims["acr"] = "bronze" })
                await #expect(throws: DaemonRefusal.self) { try await self.signIn(stand, wanted) }
                #expect(try await stand.token()["access_token"]?.string == old)
                stand.provider.script(.token, .editingIDToken { $0.claims["acr"] = "gold" })
                _ = try await signIn(stand, wanted)
                let asked = stand.provider.events.last { $0.endpoint == .authorize }?.parameters
                #expect(asked?["acr_values"] == "gold" && asked?["max_age"] == "60")
                let new = try await stand.token(["rejected": .string(old), "challenge": .string(challenge)])
                #expect(new["access_token"]?.string != old)
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
            }
        }

        @Test func `a scope is added to an account that is signed in, and stays`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                #expect(
                    try await stand.refusal("token.get", ["account": "work", "scope": "read"]).kind
                        == "insufficient_scope"
                )
                let result = try await signIn(stand, ["scope": "read"])
                #expect(result["scope"]?.string == "openid email offline_access read")
                _ = try await stand.token(["scope": "read"])
                _ = try await stand.token(["fresh": true])
                let refresh = stand.provider.events.last { $0.endpoint == .token }?.parameters
                #expect(refresh?["grant_type"] == "refresh_token" && refresh?["scope"] == nil, "(6749-16)")
                stand.provider.change { $0.authorization = .deny(error: "access_denied") }
                await #expect(throws: DaemonRefusal.self) { try await self.signIn(stand, ["scope": "write"]) }
                _ = try await stand.token(["scope": "read"])
            }
        }
    }
}
