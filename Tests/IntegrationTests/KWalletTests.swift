// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// KDE's wallet as the Secret Service: opened by PAM, and late with what it writes.
    @Suite struct KWallet {
        /// A stand whose Secret Service is a kwalletd5 that came after the daemon, with the account signed in.
        private func withKWallet(_ body: (Stand) async throws -> Void) async throws {
            try await Stand.with(keyring: .none) { stand in
                #expect(try await stand.refusal("login.start", ["account": "work"]).kind == "store_unavailable")
                try await stand.session.startKWallet()
                try await stand.signIn()
                try await body(stand)
            }
        }

        @Test func `sign in, refresh, restart, sign out`() async throws {
            try await withKWallet { stand in
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
                #expect(fourth["refreshed"]?.bool == true)
                #expect(try await client.result("logout", ["account": "work"])["revoked"]?.bool == true)
                #expect(try await stand.keyringItem().isEmpty)
                try await daemon.stop()
            }
        }

        @Test func `a wallet that PAM opens after the daemon's start serves without a question`() async throws {
            try await withKWallet { stand in
                let held = try await stand.token()["access_token"]
                try await stand.daemon.stop()
                try await stand.session.killKeyring()
                try await stand.session.startKWallet(opened: false)
                let daemon = try await DaemonProcess.start(stand.world)
                let client = try daemon.connect()
                let asked = client.ask("token.get", ["account": "work"])
                #expect(DaemonRefusal(try await client.reply(to: asked)).kind == "store_locked")
                let events = try daemon.connect()
                _ = try await events.result("events.subscribe")
                try await stand.session.openWallet()
                // By itself: nobody asks for a token.
                while try await events.nextReply()["params"]?.object?["type"] != "store_unlocked" {}
                #expect(try await client.result("token.get", ["account": "work"])["access_token"] == held)
                #expect(stand.provider.count(.token) == 1)
                try await daemon.stop()
            }
        }

        @Test func `a wallet that gets closed is told as such, and all goes on once it opens`() async throws {
            try await withKWallet { stand in
                try await stand.session.lockWallet()
                _ = try await stand.token()
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.kind == "store_locked")
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                #expect(try await stand.refusal("login.start", ["account": "work"]).kind == "store_locked")
                try await stand.session.openWallet()
                #expect(try await stand.token(["fresh": true])["refreshed"]?.bool == true)
            }
        }

        @Test func `a wallet killed right after a renewal comes back with it, and no spent token is sent`() async throws
        {
            try await withKWallet { stand in
                let renewed = try await stand.token(["fresh": true])
                try await stand.crash {
                    try await stand.session.killKeyring()
                    try await stand.session.startKWallet()
                } then: { next async throws in
                    #expect(try await next.token()["access_token"] == renewed["access_token"])
                    #expect(try await next.token(["fresh": true])["refreshed"]?.bool == true)
                }
            }
        }

        @Test func `a wallet that comes back with an older item gets the newer one again`() async throws {
            try await withKWallet { stand in
                let wallet = stand.session.folder + "/home/.local/share/kwalletd/kdewallet.kwl"
                try await stand.session.run("cp", [wallet, wallet + ".old"])
                _ = try await stand.token(["fresh": true])
                try await stand.session.killKeyring()
                try await stand.session.run("cp", [wallet + ".old", wallet])
                try await stand.session.startKWallet()
                let refreshes = stand.provider.count(grantType: "refresh_token")
                _ = try await stand.client.result("account.refresh", ["account": "work"])
                #expect(stand.provider.count(grantType: "refresh_token") == refreshes + 1)
                #expect(stand.daemon.log.contains("had an older sign-in"))
            }
        }
    }
}
