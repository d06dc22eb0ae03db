// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The daemon killed in a sign-in and in a logout: no code is traded twice, and nothing comes back to life.
    @Suite struct CrashesInSignIn {
        @Test func `killed with the code before the provider looks at it, a new sign-in does`() async throws {
            try await Stand.with { stand in
                let browser = try await Self.sendCode(stand, .hang(until: Gate()))
                try await stand.crash { next in
                    browser.cancel()
                    try await Self.expectSignedOut(next)
                    #expect(next.provider.count(grantType: "authorization_code") == 1)
                    try await next.signIn()
                    _ = try await next.token()
                    #expect(next.provider.count(grantType: "authorization_code") == 2)
                }
            }
        }

        @Test func `killed before the code's answer, it is not sent again, and a new sign-in does`() async throws {
            try await Stand.with { stand in
                let browser = try await Self.sendCode(stand, .commitAndHang(until: Gate()))
                try await stand.crash { next in
                    browser.cancel()
                    try await Self.expectSignedOut(next)
                    #expect(next.provider.count(grantType: "authorization_code") == 1)
                    try await next.signIn()
                    #expect(try await next.token(["fresh": true])["refreshed"] == true)
                }
            }
        }

        @Test func `killed with the grant before the store has it, nobody is signed in`() async throws {
            try await Stand.with { stand in
                let browser = try await Self.grantBeforeStore(stand)
                try await stand.crash(meanwhile: stand.replaceKeyring) { next in
                    browser.cancel()
                    try await Self.expectSignedOut(next)
                    try await next.signIn()
                    _ = try await next.token()
                }
            }
        }

        @Test func `killed once the store has the grant, the person is signed in`() async throws {
            try await Stand.with { stand in
                let browser = try await Self.grantBeforeStore(stand)
                try await stand.killOnceStored("the grant") { $0.contains("rt-") }
                try await stand.restart { next in
                    browser.cancel()
                    let before = next.provider.events.count
                    let token = try await next.token()
                    #expect(next.provider.accepts(accessToken: try #require(token["access_token"]?.string)))
                    #expect(next.provider.events.count == before)
                    #expect(try await next.token(["fresh": true])["refreshed"] == true)
                }
            }
        }

        @Test func `killed in a logout before the keyring removes the item, it stays signed out`() async throws {
            try await Stand.with { stand in
                try await stand.signInQuietly()
                stand.session.freezeKeyring()
                stand.client.ask("logout", ["account": "work"])
                try await stand.awaitState("signed_out")
                try await stand.crash(
                    meanwhile: {
                        try await stand.replaceKeyring()
                        #expect(try await stand.keyringItem().contains("rt-"), "the item outlived the logout")
                    },
                    then: { next in
                        try await Self.expectSignedOut(next)
                        #expect(next.sentTokens.isEmpty)
                        try await next.crash { third in
                            try await Self.expectSignedOut(third)
                            try await third.signIn()
                            try await third.crash { fourth in _ = try await fourth.token() }
                        }
                    }
                )
            }
        }

        @Test func `killed in a logout before the provider is told, it stays signed out, and the next daemon tells it`()
            async throws
        {
            try await Stand.with { stand in
                try await stand.signInQuietly()
                stand.provider.script(.revocation, .hang(until: Gate()))
                stand.client.ask("logout", ["account": "work"])
                let live = try #require(stand.provider.liveRefreshTokens.first)
                let told = try await stand.provider.next(.revocation, .arrived).parameters["token"]
                #expect(told == live)
                try await stand.crash { next in
                    #expect(try await next.provider.next(.revocation, .arrived).parameters["token"] == live)
                    try await Self.expectSignedOut(next)
                    #expect(next.sentTokens.isEmpty)
                }
            }
        }

        @Test func `an answer that comes after a logout is revoked, and not kept`() async throws {
            try await Stand.with { stand in
                try await stand.signInQuietly()
                let gate = Gate()
                stand.provider.script(.token, .commitAndHang(until: gate))
                stand.client.ask("token.get", ["account": "work", "fresh": true])
                let sent = try await stand.provider.next(.token, .arrived).parameters["refresh_token"]
                _ = try await stand.client.result("logout", ["account": "work"])
                try await stand.provider.next(.revocation, .arrived)
                try await stand.provider.next(.revocation, .arrived)
                gate.open()
                let late = try await stand.provider.next(.revocation, .arrived).parameters["token"]
                #expect(late?.hasPrefix("rt-") == true)
                #expect(late != sent)
                try await stand.crash { next in
                    try await Self.expectSignedOut(next)
                    #expect(next.sentTokens == [sent].compactMap(\.self))
                }
            }
        }

        @Test func `killed before a late answer is revoked, it is not kept either`() async throws {
            try await Stand.with { stand in
                try await stand.signInQuietly()
                stand.provider.script(.token, .commitAndHang(until: Gate()))
                stand.client.ask("token.get", ["account": "work", "fresh": true])
                try await stand.provider.next(.token, .arrived)
                _ = try await stand.client.result("logout", ["account": "work"])
                try await stand.crash { next in
                    try await Self.expectSignedOut(next)
                    #expect(next.sentTokens.count == 1)
                }
            }
        }

        /// A sign-in whose code has come to the provider, which behaves like this. The task is the waiting browser.
        private static func sendCode(_ stand: Stand, _ behaviour: Behaviour) async throws -> Task<Void, Never> {
            let login = try await stand.startLogin()
            stand.provider.script(.token, behaviour)
            // Its connection ends with the daemon.
            let browser = Task { _ = try? await BrowserStandIn().signIn(login.url) }
            try await stand.provider.next(.token, .arrived)
            return browser
        }

        /// A sign-in whose code has been traded, with a frozen keyring.
        private static func grantBeforeStore(_ stand: Stand) async throws -> Task<Void, Never> {
            let gate = Gate()
            let browser = try await sendCode(stand, .commitAndHang(until: gate))
            stand.session.freezeKeyring()
            gate.open()
            try await stand.provider.next(.token)
            return browser
        }

        private static func expectSignedOut(_ stand: Stand) async throws {
            let refusal = try await stand.refusal("token.get", ["account": "work"])
            #expect(refusal.kind == "login_required")
            #expect(refusal.data["reason"] == "signed_out")
            #expect(try await stand.keyringItem().isEmpty)
        }
    }
}
