// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// django-oauth-toolkit, which nobody here wrote: split metadata, rotation races and grace.
    @Suite struct RealProviderToolkit {
        private static let account: JSONObject = ["account": "toolkit"]
        private static let fresh: JSONObject = ["account": "toolkit", "fresh": true]

        /// A daemon that is signed in at a running django-oauth-toolkit.
        private func withToolkit(
            killsFamily: Bool = true,
            grace: Int = 0,
            _ body: (Stand, ToolkitProvider) async throws -> Void
        ) async throws {
            try await Stand.with { stand in
                let toolkit = try await ToolkitProvider.start(
                    in: stand.session.folder,
                    killsFamily: killsFamily,
                    grace: grace
                )
                try stand.world.writeAccount("toolkit", issuer: toolkit.issuer)
                _ = try await stand.client.result("config.reload")
                let login = try await stand.startLogin("toolkit")
                let page = try await toolkit.signIn(login.url)
                #expect(page.status == 200)
                _ = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
                try await body(stand, toolkit)
                await toolkit.stop()
            }
        }

        @Test func `form and consent give a token, and logout revokes as the RFC 8414 document says`() async throws {
            try await withToolkit { stand, toolkit in
                let token = try await stand.client.result("token.get", Self.account)
                #expect(token["issuer"]?.string == toolkit.issuer)
                #expect(token["renewable"]?.bool == true)
                let openID = try await BrowserStandIn().open(toolkit.issuer + "/.well-known/openid-configuration")
                #expect(!openID.body.contains("revocation_endpoint"), "only the other document names it")
                #expect(try await stand.client.result("logout", Self.account)["revoked"]?.bool == true)
                #expect(Set(toolkit.revocations) == ["200"])
            }
        }

        @Test func `64 clients that want a fresh token at once cost one refresh, and the family lives`() async throws {
            try await withToolkit { stand, toolkit in
                let clients = try (0..<64).map { _ in try stand.daemon.connect() }
                let asked = clients.map { $0.ask("token.get", Self.fresh) }
                var served: Set<String> = []
                for (client, id) in zip(clients, asked) {
                    let result = try await client.reply(to: id)["result"]?.object
                    served.insert(try #require(result?["access_token"]?.string))
                }
                #expect(served.count == 1)
                #expect(toolkit.refreshes == ["200"])
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                let again = try await daemon.connect().result("token.get", Self.fresh)
                #expect(again["refreshed"]?.bool == true)
                #expect(toolkit.refreshes == ["200", "200"])
                try await daemon.stop()
            }
        }

        @Test func `within the grace a lost answer costs nothing but a second request`() async throws {
            try await withToolkit(grace: 60) { stand, toolkit in
                try toolkit.loseNextAnswer()
                #expect(try await stand.client.result("token.get", Self.fresh)["refreshed"]?.bool == true)
                #expect(toolkit.refreshes == ["200 lost", "200"])
                try await stand.daemon.kill()
                let daemon = try await DaemonProcess.start(stand.world)
                let again = try await daemon.connect().result("token.get", Self.fresh)
                #expect(again["refreshed"]?.bool == true, "what the second answer brought was stored")
                try await daemon.stop()
            }
        }

        @Test func `without a grace a lost answer ends the grant, and that is said`() async throws {
            try await withToolkit { stand, toolkit in
                try toolkit.loseNextAnswer()
                let refusal = try await stand.refusal("token.get", Self.fresh)
                #expect(refusal.kind == "login_required")
                #expect(refusal.data["oauth_error"]?.string == "invalid_grant")
                #expect(toolkit.refreshes == ["200 lost", "400"])
                #expect(try await stand.status("toolkit")["state"]?.string == "login_required")
            }
        }
    }
}
