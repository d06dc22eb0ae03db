// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Glewlwyd, which nobody here wrote: fixed redirects, `bearer` in lower case, refusals without a body.
    @Suite struct RealProviderGlewlwyd {
        private static let account: JSONObject = ["account": "glewlwyd"]
        private static let fresh: JSONObject = ["account": "glewlwyd", "fresh": true]

        /// A daemon with an account at a running Glewlwyd, whose `redirect_uri` lists what is registered there.
        private func withGlewlwyd(
            _ setting: String = "",
            _ body: (Stand, Glewlwyd) async throws -> Void
        ) async throws {
            try await Stand.with { stand in
                let glewlwyd = try await Glewlwyd.start(in: stand.session.folder)
                let redirects = glewlwyd.redirectURIs.map { "\"\($0)\"" }.joined(separator: ", ")
                try stand.world.writeAccount(
                    "glewlwyd",
                    issuer: glewlwyd.issuer,
                    scopes: ["openid", "offline_access"],
                    more: "redirect_uri: [\(redirects)],\(setting)"
                )
                _ = try await stand.client.result("config.reload")
                try await body(stand, glewlwyd)
                await glewlwyd.stop()
            }
        }

        private func signIn(_ stand: Stand, _ glewlwyd: Glewlwyd) async throws -> Stand.Login {
            let login = try await stand.startLogin("glewlwyd")
            let page = try await glewlwyd.signIn(login.url)
            #expect(page.status == 200)
            _ = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
            return login
        }

        @Test func `a sign-in by its API, a rotation and a restart`() async throws {
            try await withGlewlwyd { stand, glewlwyd in
                let login = try await signIn(stand, glewlwyd)
                #expect(login.redirectURI == glewlwyd.redirectURIs[0])
                let token = try await stand.client.result("token.get", Self.account)
                #expect(token["token_type"]?.string == "Bearer", "it says bearer")
                #expect(token["issuer"]?.string == glewlwyd.issuer)
                let second = try await stand.client.result("token.get", Self.fresh)
                #expect(second["refreshed"]?.bool == true)
                #expect(second["access_token"] != token["access_token"])
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                let client = try daemon.connect()
                #expect(
                    try await client.result("token.get", Self.account)["access_token"] == second["access_token"]
                )
                #expect(try await client.result("token.get", Self.fresh)["refreshed"]?.bool == true)
                try await daemon.stop()
            }
        }

        @Test func `a code that alice enters on another device, and a rotation`() async throws {
            try await withGlewlwyd { stand, glewlwyd in
                let login = try await stand.startDeviceLogin("glewlwyd")
                let next = try await glewlwyd.approveDevice(try #require(login.pageWithCode))
                #expect(next?.contains("prompt=deviceComplete") == true)
                let result = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
                #expect(result["subject"] != nil && result["renewable"]?.bool == true)
                let token = try await stand.client.result("token.get", Self.account)
                let fresh = try await stand.client.result("token.get", Self.fresh)
                #expect(fresh["refreshed"]?.bool == true && fresh["access_token"] != token["access_token"])
            }
        }

        @Test func `a pushed authorization request (9126-1)`() async throws {
            try await withGlewlwyd(#"par: "always""#) { stand, glewlwyd in
                let started = try await stand.client.result("login.start", Self.account)
                let url = try #require(started["authorization_url"]?.string)
                let query = WireParameters(String(url.split(separator: "?").last ?? ""))
                #expect(query.pairs.map(\.name) == ["client_id", "request_uri"])
                #expect(try await glewlwyd.signIn(url).status == 200)
                _ = try await stand.client.result("login.wait", ["login_id": started["login_id"] ?? .null])
                let token = try await stand.client.result("token.get", Self.fresh)
                #expect(token["refreshed"]?.bool == true)
            }
        }

        @Test func `a pushed request that the provider refuses opens no browser (9126-2)`() async throws {
            try await withGlewlwyd { stand, glewlwyd in
                try stand.world.writeAccount(
                    "glewlwyd",
                    issuer: glewlwyd.issuer,
                    more: #"par: "always", redirect_uri: "http://127.0.0.1/unregistered""#
                )
                _ = try await stand.client.result("config.reload")
                let refusal = try await stand.refusal("login.start", Self.account)
                #expect(refusal.kind == "provider_error")
                #expect(refusal.message.contains("refuses the sign-in's request"))
            }
        }

        @Test func `a registered port that is taken leaves the next one`() async throws {
            try await withGlewlwyd { stand, glewlwyd in
                let squatter = try ByteServer(port: glewlwyd.redirectPorts[0]) { _, _ in false }
                defer { squatter.stop() }
                let login = try await signIn(stand, glewlwyd)
                #expect(login.redirectURI == glewlwyd.redirectURIs[1])
                _ = try await stand.client.result("token.get", Self.account)
            }
        }

        @Test func `where all registered ports are taken the refusal names them`() async throws {
            try await withGlewlwyd { stand, glewlwyd in
                let squatters = try glewlwyd.redirectPorts.map { try ByteServer(port: $0) { _, _ in false } }
                defer { squatters.forEach { $0.stop() } }
                let refusal = try await stand.refusal("login.start", Self.account)
                #expect(refusal.kind == "config_invalid")
                for port in glewlwyd.redirectPorts { #expect(refusal.message.contains("\(port)")) }
            }
        }

        @Test func `a refusal with an empty body is no "signed out"`() async throws {
            try await withGlewlwyd { stand, glewlwyd in
                _ = try await signIn(stand, glewlwyd)
                let held = try await stand.client.result("token.get", Self.account)["access_token"]
                // Used twice by somebody else, the token is dead.
                let item = try await stand.keyringItem("glewlwyd")
                let start = try #require(item.firstRange(of: "\"refresh_token\":\"")).upperBound
                let token = String(item[start...].prefix { $0 != "\"" })
                #expect(try await glewlwyd.use(refreshToken: token).status == 200)
                let answer = try await glewlwyd.use(refreshToken: token)
                #expect(answer.status == 400)
                #expect(answer.body.isEmpty)
                let refusal = try await stand.refusal("token.get", Self.fresh)
                #expect(refusal.kind == "provider_unreachable")
                #expect(refusal.message.contains("HTTP 400"))
                #expect(try await stand.client.result("token.get", Self.account)["access_token"] == held)
                #expect(try await stand.keyringItem("glewlwyd").contains(token), "the grant is kept")
            }
        }
    }
}
