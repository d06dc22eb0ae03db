// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Tokens that cover less than the grant, or are for one resource alone.
    @Suite struct TokenPurposes {
        private static let calendar = "https://calendar.example.com"
        private static let files = "https://files.example.com/v1"

        /// A provider that serves two resources and rotates without grace.
        private func withResources(_ body: (Stand) async throws -> Void) async throws {
            var settings = ProviderSettings.approving
            settings.resources = [Self.calendar, Self.files]
            try await Stand.with(settings) { world, provider in
                try world.writeAccount(
                    "work",
                    issuer: provider.issuer,
                    scopes: ["openid", "email", "read", "write", "offline_access"]
                )
            } _: { stand in
                try await stand.signIn()
                try await body(stand)
            }
        }

        private func purpose(
            _ result: JSONObject,
            _ stand: Stand
        ) throws -> (scope: String, resources: [String], audience: String?) {
            let token = try #require(result["access_token"]?.string)
            return try #require(stand.provider.purpose(ofAccessToken: token))
        }

        @Test func `a token for one resource, or for fewer scopes, is for no more (9700-5, 8707-1, 6749-16)`()
            async throws
        {
            try await withResources { stand in
                let main = try await stand.token()
                let calendar = try await stand.token(["resource": .string(Self.calendar)])
                #expect(try purpose(calendar, stand).resources == [Self.calendar])
                #expect(calendar["scope"] == main["scope"])
                let read = try await stand.token(["scope": "read", "narrow": true, "resource": .string(Self.files)])
                #expect(try purpose(read, stand) == ("read", [Self.files], nil))
                #expect(read["scope"] == "read")
                let api = try await stand.token(["audience": "api"])
                #expect(try purpose(api, stand).audience == "api")
                let own = try await stand.token()["access_token"]
                #expect(own == main["access_token"], "the account's own is as it was")
                let again = try await stand.token(["resource": .string(Self.calendar)])
                #expect(again["access_token"] == calendar["access_token"] && again["refreshed"] == false)
                #expect(stand.provider.count(grantType: "refresh_token") == 3)
                let beyond = try await stand.refusal(
                    "token.get",
                    ["account": "work", "scope": "read admin", "narrow": true]
                )
                #expect(beyond.kind == "insufficient_scope")
                #expect(stand.provider.count(grantType: "refresh_token") == 3)
            }
        }

        @Test func `a resource that the provider does not serve is told, and the grant is kept (8707-2)`() async throws
        {
            try await withResources { stand in
                let params: JSONObject = ["account": "work", "resource": "https://other.example.com"]
                let refusal = try await stand.refusal("token.get", params)
                #expect(refusal.kind == "provider_error" && refusal.data["oauth_error"] == "invalid_target")
                #expect(try await stand.status()["state"] == "ready")
                #expect(try await stand.token(["resource": .string(Self.files)])["refreshed"] == true)
                #expect(try await stand.token(["fresh": true])["refreshed"] == true)
            }
        }

        @Test func `where scopes choose the resource, one sign-in brings a token for each`() async throws {
            var settings = ProviderSettings.approving
            settings.scopesChooseResource = true
            let (graph, mail) = ("https://graph.example.com", "https://mail.example.com")
            settings.scopes = ["openid", "email", "offline_access", graph + "/Mail.Read", graph + "/User.Read"]
            settings.scopes += [mail + "/IMAP", mail + "/SMTP"]
            let consented = settings.scopes
            try await Stand.with(settings) { world, provider in
                try world.writeAccount(
                    "work",
                    """
                    { issuer: "\(provider.issuer)", client_id: "tokend", scopes: \(consented),
                      dialect: { scopes_choose_resource: true } }
                    """
                )
            } _: { stand in
                try await stand.signIn()
                let own = try await stand.token()
                #expect(own["scope"]?.string?.contains(mail) == false)
                #expect(own["scope"]?.string?.contains(graph + "/User.Read") == true)
                let other = try await stand.token(["scope": .string(mail + "/IMAP")])
                #expect(try purpose(other, stand).scope == "openid email offline_access \(mail)/IMAP \(mail)/SMTP")
                #expect(try await stand.token(["scope": .string(mail + "/IMAP")])["refreshed"] == false)
                #expect(try await stand.token() == own, "the account's own is as it was")
                #expect(try await stand.token(["fresh": true])["scope"] == own["scope"])
                let refusal = try await stand.refusal("token.get", ["account": "work", "resource": .string(mail)])
                #expect(refusal.kind == "invalid_params" && refusal.data["member"] == "resource")
                #expect(stand.provider.count(grantType: "refresh_token") == 2)
            }
        }

        @Test func `sixty clients with three combinations cost three refreshes, one at a time (engine rule 1)`()
            async throws
        {
            try await withResources { stand in
                let kinds: [JSONObject] = [
                    ["account": "work", "fresh": true], ["account": "work", "scope": "read", "narrow": true],
                    ["account": "work", "resource": .string(Self.calendar)],
                ]
                let clients = try (0..<60).map { _ in try stand.daemon.connect() }
                let asked = clients.enumerated().map { $1.ask("token.get", kinds[$0 % 3]) }
                var served: [Set<String>] = [[], [], []]
                for (number, (client, id)) in zip(clients, asked).enumerated() {
                    let result = try #require(try await client.reply(to: id)["result"]?.object)
                    served[number % 3].insert(try #require(result["access_token"]?.string))
                }
                #expect(served.map(\.count) == [1, 1, 1])
                #expect(stand.provider.count(grantType: "refresh_token") == 3)
                var open = 0
                for event in stand.provider.events where event.endpoint == .token {
                    if event.phase == .arrived { open += 1 } else { open -= 1 }
                    #expect(open <= 1)
                }
            }
        }

        @Test func `a restart keeps the account's own token, and the grant that the others have moved on`() async throws
        {
            try await withResources { stand in
                let main = try await stand.token()
                let calendar = try await stand.token(["resource": .string(Self.calendar)])
                try await stand.daemon.kill()
                let daemon = try await DaemonProcess.start(stand.world)
                let client = try daemon.connect()
                let params: JSONObject = ["account": "work", "resource": .string(Self.calendar)]
                let again = try await client.result("token.get", params)
                #expect(again["refreshed"] == true && again["access_token"] != calendar["access_token"])
                let own = try await client.result("token.get", ["account": "work"])
                #expect(own["access_token"] == main["access_token"])
                try await daemon.stop()
            }
        }

        @Test func `tokenctl asks for them`() async throws {
            try await withResources { stand in
                let tokenctl = Tokenctl(stand.world)
                let token = try await tokenctl.run(
                    "token",
                    "work",
                    "--scope",
                    "read",
                    "--narrow",
                    "--resource",
                    Self.files,
                    "--resource",
                    Self.calendar
                )
                let printed = token.output.split(separator: "\n").map(String.init)
                #expect(token.exitCode == 0 && printed.count == 1, "\(token)")
                let purpose = stand.provider.purpose(ofAccessToken: printed.first ?? "")
                #expect(purpose?.scope == "read" && purpose?.resources == [Self.calendar, Self.files])
                let exec = try await tokenctl.run(
                    "exec",
                    "work",
                    "--audience",
                    "api",
                    "--",
                    "sh",
                    "-c",
                    "printf %s \"$ACCESS_TOKEN\""
                )
                #expect(stand.provider.purpose(ofAccessToken: exec.output)?.audience == "api", "\(exec)")
                let unsaid = try await tokenctl.run("token", "work", "--narrow")
                #expect(unsaid.exitCode == 64 && unsaid.talk.contains("--scope"))
                let refused = try await tokenctl.run("token", "work", "--resource", "https://other.example.com")
                #expect(refused.exitCode == 65 && refused.output.isEmpty && refused.talk.contains("not served here"))
            }
        }

        @Test
        func `NanoIDP: a token for each resource says so itself, one beyond the grant is refused (8707-1, 8707-2)`()
            async throws
        {
            try await Stand.with { stand in
                let nano = try await NanoIDP.start(in: stand.session.folder)
                let more = "resource: [\"\(Self.calendar)\", \"\(Self.files)\"],"
                try stand.world.writeAccount("nano", issuer: nano.issuer, more: more)
                _ = try await stand.client.result("config.reload")
                try await stand.signIn("nano")
                func audience(_ params: JSONObject) async throws -> JSONValue? {
                    var params = params
                    params["account"] = "nano"
                    let result = try await stand.client.result("token.get", params)
                    let payload = try #require(result["access_token"]?.string).split(separator: ".")[1]
                    let bytes = try #require(Base64URL.decode(payload))
                    return try JSONReader().read(bytes).object?["aud"]
                }
                let both = try await audience([:])
                #expect(both == .array([.string(Self.calendar), .string(Self.files)]))
                #expect(try await audience(["fresh": true]) == both)
                for one in [Self.calendar, Self.files] {
                    let said = try await audience(["resource": .string(one)])
                    #expect(said == .string(one) || said == .array([.string(one)]), "\(String(describing: said))")
                }
                let refusal = try await stand.refusal(
                    "token.get",
                    ["account": "nano", "resource": "https://other.example.com"]
                )
                // It has used up the refresh token by then, so this comes last.
                #expect(refusal.kind == "provider_error" && refusal.data["oauth_error"] == "invalid_target")
                #expect(try await audience([:]) == both)
                await nano.stop()
            }
        }

        @Test func `django-oauth-toolkit: a narrow token comes, and what it does to the grant is seen (6749-16)`()
            async throws
        {
            try await Stand.with { stand in
                let folder = stand.session.folder
                let toolkit = try await ToolkitProvider.start(in: folder, killsFamily: true, grace: 0)
                try stand.world.writeAccount("toolkit", issuer: toolkit.issuer)
                _ = try await stand.client.result("config.reload")
                func signIn() async throws {
                    let login = try await stand.startLogin("toolkit")
                    _ = try await toolkit.signIn(login.url)
                    _ = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
                }
                try await signIn()
                let narrow: JSONObject = ["account": "toolkit", "scope": "email", "narrow": true]
                #expect(try await stand.client.result("token.get", narrow)["scope"] == "email")
                let own = try await stand.client.result("token.get", ["account": "toolkit"])
                #expect(own["scope"]?.string?.contains("openid") == true, "the held token is as it was")
                // Its new refresh token has the narrow one's scope, against RFC 6749, section 6.
                let fresh = try await stand.client.result("token.get", ["account": "toolkit", "fresh": true])
                #expect(fresh["scope"] == "email")
                try await stand.daemon.hasLogged("narrows the whole sign-in")
                try await signIn()
                let refusal = try await stand.refusal("token.get", narrow)
                #expect(refusal.kind == "provider_error", "it is not done to the new sign-in")
                let whole = try await stand.client.result("token.get", ["account": "toolkit", "fresh": true])
                #expect(whole["scope"]?.string?.contains("openid") == true)
                await toolkit.stop()
            }
        }
    }
}
