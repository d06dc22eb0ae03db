// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// KeePassXC as the Secret Service, which has other habits than gnome-keyring.
    @Suite struct KeePassXC {
        /// A stand whose Secret Service is a KeePassXC that came after the daemon, with the account signed in.
        private func withKeePassXC(_ body: (Stand) async throws -> Void) async throws {
            try await Stand.with(keyring: .none) { stand in
                #expect(try await stand.refusal("login.start", ["account": "work"]).kind == "store_unavailable")
                try await stand.session.startKeePassXC()
                try await stand.signIn()
                try await body(stand)
            }
        }

        @Test func `sign in, refresh, restart, sign out`() async throws {
            try await withKeePassXC { stand in
                let second = try await stand.token(["fresh": true])
                #expect(second["refreshed"]?.bool == true)
                let live = try #require(stand.provider.liveRefreshTokens.first)
                #expect(try await stand.keyringItem().contains(live))
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                let client = try daemon.connect()
                let third = try await client.result("token.get", ["account": "work"])
                #expect(third["access_token"] == second["access_token"])
                let fourth = try await client.result("token.get", ["account": "work", "fresh": true])
                #expect(fourth["refreshed"]?.bool == true, "another connection stores, too")
                #expect(try await client.result("logout", ["account": "work"])["revoked"]?.bool == true)
                #expect(try await stand.keyringItem().isEmpty)
                try await daemon.stop()
            }
        }

        @Test func `a database that gets locked is told as such, and all goes on once it opens`() async throws {
            try await withKeePassXC { stand in
                try await stand.session.lockKeePassXC()
                _ = try await stand.token()
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.kind == "store_locked")
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                #expect(try await stand.refusal("login.start", ["account": "work"]).kind == "store_locked")
                try await stand.session.unlockKeePassXC()
                #expect(try await stand.token(["fresh": true])["refreshed"]?.bool == true)
            }
        }

        @Test func `a daemon that starts before the database opens is not signed out`() async throws {
            try await withKeePassXC { stand in
                let held = try await stand.token()["access_token"]
                try await stand.daemon.stop()
                try await stand.session.lockKeePassXC()
                let daemon = try await DaemonProcess.start(stand.world)
                let client = try daemon.connect()
                let asked = client.ask("token.get", ["account": "work"])
                #expect(DaemonRefusal(try await client.reply(to: asked)).kind == "store_locked")
                let account = try await client.result("status")["accounts"]?.array?.first?.object
                #expect(account?["state"]?.string == "store_locked")
                try await stand.session.unlockKeePassXC()
                #expect(try await client.result("token.get", ["account": "work"])["access_token"] == held)
                #expect(stand.provider.count(.token) == 1)
                try await daemon.stop()
            }
        }

        @Test func `a KeePassXC that crashes is unavailable, and its successor is found`() async throws {
            try await withKeePassXC { stand in
                try await stand.session.waitForSavedItem("tokend: work")
                try await stand.session.killKeyring()
                _ = try await stand.token()
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.kind == "store_unavailable")
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                try await stand.session.startKeePassXC()
                #expect(try await stand.token(["fresh": true])["refreshed"]?.bool == true)
            }
        }
    }
}
