// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A provider and a browser that nobody here wrote.
    @Suite struct RealParts {
        /// A daemon whose account `work` is at a running NanoIDP.
        private func withNanoIDP(_ body: (Stand, NanoIDP) async throws -> Void) async throws {
            try await Stand.with { stand in
                let nano = try await NanoIDP.start(in: stand.session.folder)
                try stand.world.writeAccount("nano", issuer: nano.issuer)
                _ = try await stand.client.result("config.reload")
                try await body(stand, nano)
                await nano.stop()
            }
        }

        @Test func `NanoIDP: sign in, refresh with rotation, restart, sign out`() async throws {
            try await withNanoIDP { stand, nano in
                let account: JSONObject = ["account": "nano"]
                try await stand.signIn("nano")
                let first = try await stand.client.result("token.get", account)
                #expect(first["renewable"]?.bool == true)
                let second = try await stand.client.result("token.get", ["account": "nano", "fresh": true])
                #expect(second["refreshed"]?.bool == true)
                #expect(second["access_token"] != first["access_token"])
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                let client = try daemon.connect()
                let third = try await client.result("token.get", account)
                #expect(third["access_token"] == second["access_token"])
                let fourth = try await client.result("token.get", ["account": "nano", "fresh": true])
                #expect(fourth["refreshed"]?.bool == true, "the rotated token was stored")
                #expect(try await client.result("logout", account)["revoked"]?.bool == true)
                try await daemon.stop()
            }
        }

        @Test func `NanoIDP: a code that alice enters on another device, and one that she refuses`() async throws {
            try await withNanoIDP { stand, nano in
                let login = try await stand.startDeviceLogin("nano")
                #expect(login.interval == 1)
                let page = try await nano.enterCode(login.userCode, at: login.page)
                #expect(page.status == 200)
                let result = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
                #expect(result["identity"]?.string == "alice@example.org" && result["renewable"]?.bool == true)
                let fresh = try await stand.client.result("token.get", ["account": "nano", "fresh": true])
                #expect(fresh["refreshed"]?.bool == true)
                #expect(try await stand.status("nano")["flow"]?.string == "device")
                let second = try await stand.startDeviceLogin("nano")
                _ = try await nano.enterCode(second.userCode, at: second.page, answer: "deny")
                let refusal = try await stand.refusal("login.wait", ["login_id": .string(second.id)])
                #expect(refusal.kind == "login_failed" && refusal.data["oauth_error"]?.string == "access_denied")
                #expect(try await stand.status("nano")["state"]?.string == "ready")
            }
        }

        @Test func `Chromium signs in at NanoIDP's form and ends on our page`() async throws {
            try await withNanoIDP { stand, _ in
                let login = try await stand.startLogin("nano")
                let landing = try await ChromiumSignIn.run(login.url, name: "nanoidp")
                #expect(landing.url.hasPrefix("http://127.0.0.1:"))
                #expect(!landing.url.contains("code="))
                #expect(landing.text.contains("nano"))
                #expect(landing.requests.allSatisfy { $0.hasPrefix("http://127.0.0.1:") })
                let result = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
                #expect(result["account"]?.string == "nano")
                _ = try await stand.client.result("token.get", ["account": "nano"])
            }
        }
    }
}
