// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A real gnome-keyring that is locked, killed, frozen or absent: an answer each time, never a hang, and never
    /// "signed out".
    @Suite struct Keyring {
        @Test func `a keyring that gets locked is told as such, and all is well once it opens`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                try await stand.session.lockKeyring()
                // What is held is served; what must be stored is not begun.
                _ = try await stand.token()
                #expect(
                    try await stand.refusal("token.get", ["account": "work", "fresh": true]).kind == "store_locked"
                )
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                #expect(try await stand.refusal("login.start", ["account": "work"]).kind == "store_locked")
                try await stand.session.unlockKeyring()
                #expect(try await stand.token(["fresh": true])["refreshed"]?.bool == true)
            }
        }

        @Test func `a daemon that starts before its keyring opens is not signed out`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                try await stand.daemon.stop()
                try await stand.session.lockKeyring()
                let daemon = try await DaemonProcess.start(stand.world)
                let client = try daemon.connect()
                let asked = client.ask("token.get", ["account": "work"])
                #expect(DaemonRefusal(try await client.reply(to: asked)).kind == "store_locked")
                let account = try await client.result("status")["accounts"]?.array?.first?.object
                #expect(account?["state"]?.string == "store_locked")
                try await stand.session.unlockKeyring()
                _ = try await client.result("token.get", ["account": "work"])
                #expect(stand.provider.count(.token) == 1, "the stored access token is served, not a new one")
                try await daemon.stop()
            }
        }

        @Test func `a keyring that crashes is unavailable, and its successor is found`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                try await stand.session.killKeyring()
                _ = try await stand.token()
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.kind == "store_unavailable")
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                try await stand.session.startKeyring(unlocked: true)
                #expect(try await stand.token(["fresh": true])["refreshed"]?.bool == true)
            }
        }

        @Test func `a frozen keyring holds up nothing but what needs it`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                stand.session.freezeKeyring()
                let asked = stand.client.ask("token.get", ["account": "work", "fresh": true])
                _ = try await stand.token()
                _ = try await stand.client.result("status")
                #expect(DaemonRefusal(try await stand.client.reply(to: asked)).kind == "store_unavailable")
                stand.session.thawKeyring()
            }
        }

        @Test func `without a keyring no browser opens`() async throws {
            try await Stand.with(keyring: .none) { stand async throws in
                #expect(try await stand.refusal("login.start", ["account": "work"]).kind == "store_unavailable")
                #expect(try await stand.refusal("token.get", ["account": "work"]).kind == "store_unavailable")
                #expect(stand.provider.count(.authorize) == 0)
            }
        }
    }
}
