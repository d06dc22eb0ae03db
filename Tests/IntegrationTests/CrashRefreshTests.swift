// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The daemon killed at each step of a refresh, and what the next one makes of it. 30 stands for a provider with
    /// 30 s of grace, 0 for one without.
    @Suite struct CrashesInRefresh {
        private static let fresh: JSONObject = ["account": "work", "fresh": true]

        @Test(arguments: [30, 0]) func `killed while it asks the store, nothing was sent and nothing is lost`(
            grace: Int
        ) async throws {
            try await Stand.with(.rotating(grace: grace)) { stand in
                try await stand.signInQuietly()
                stand.session.freezeKeyring()
                stand.client.ask("token.get", Self.fresh)
                try await stand.awaitState("refreshing")
                try await stand.crash(meanwhile: stand.session.thawKeyring) { next in
                    _ = try await next.token()
                    #expect(next.sentTokens.isEmpty)
                    #expect(try await next.token(["fresh": true])["refreshed"] == true)
                    #expect(next.sentTokens.count == 1)
                }
            }
        }

        @Test(arguments: [30, 0]) func `killed between the mark and the request, the token is sent once, at start`(
            grace: Int
        ) async throws {
            try await Stand.with(.rotating(grace: grace)) { stand in
                try await stand.signInQuietly()
                stand.session.freezeKeyring()
                stand.client.ask("token.get", Self.fresh)
                try await stand.killOnceStored("the mark") { $0.contains("\"pending\"") }
                #expect(stand.sentTokens.isEmpty)
                try await stand.restart { next in
                    try await next.provider.next(.token)
                    try await Self.expectHealth(next, sent: 1)
                }
            }
        }

        @Test(arguments: [30, 0]) func `killed before the provider looks at the request, the login is kept`(
            grace: Int
        ) async throws {
            try await Stand.with(.rotating(grace: grace)) { stand in
                try await stand.signInQuietly()
                stand.provider.script(.token, .hang(until: Gate()))
                stand.client.ask("token.get", Self.fresh)
                try await stand.provider.next(.token, .arrived)
                try await stand.crash { next in
                    #expect(try await next.provider.next(.token).phase == .answered(status: 200))
                    try await Self.expectHealth(next, sent: 2)
                }
            }
        }

        @Test func `killed before the answer, a provider with grace keeps the login`() async throws {
            try await Stand.with(.rotating(grace: 30)) { stand in
                try await stand.signInQuietly()
                try await Self.askWithoutAnswer(stand)
                try await stand.crash { next in
                    #expect(try await next.provider.next(.token).phase == .answered(status: 200))
                    try await Self.expectHealth(next, sent: 2)
                }
            }
        }

        @Test func `killed before the answer, without grace the login is lost, and told as a lost rotation`()
            async throws
        {
            try await Stand.with(.rotating(grace: 0)) { stand in
                try await stand.signInQuietly()
                try await Self.askWithoutAnswer(stand)
                try await stand.crash { next in try await Self.expectLostRotation(next) }
            }
        }

        @Test func `killed again in the try at start, a provider with grace still keeps the login`() async throws {
            try await Stand.with(.rotating(grace: 30)) { stand in
                try await stand.signInQuietly()
                try await Self.askWithoutAnswer(stand)
                stand.provider.script(.token, .commitAndHang(until: Gate()))
                try await stand.crash { second in
                    try await second.provider.next(.token, .arrived)
                    try await second.crash { third in
                        #expect(try await third.provider.next(.token).phase == .answered(status: 200))
                        try await Self.expectHealth(third, sent: 3)
                    }
                }
            }
        }

        @Test func `killed with the answer before the store has it, a provider with grace keeps the login`()
            async throws
        {
            try await Stand.with(.rotating(grace: 30)) { stand in
                try await Self.answerBeforeStore(stand)
                try await stand.crash(meanwhile: stand.replaceKeyring) { next in
                    #expect(try await next.provider.next(.token).phase == .answered(status: 200))
                    try await Self.expectHealth(next, sent: 2)
                }
            }
        }

        @Test func `killed with the answer before the store has it, without grace the login is lost, and told so`()
            async throws
        {
            // The provider cannot know that its answer was lost on the last yard: one try is what it costs to find out.
            try await Stand.with(.rotating(grace: 0), excusing: [.refreshTokenReused]) { stand in
                try await Self.answerBeforeStore(stand)
                try await stand.crash(meanwhile: stand.replaceKeyring) { next in
                    try await Self.expectLostRotation(next)
                }
                #expect(stand.provider.breaches.count == 1)
            }
        }

        @Test(arguments: [30, 0]) func `killed once the store has the answer, its token is served without a request`(
            grace: Int
        ) async throws {
            try await Stand.with(.rotating(grace: grace)) { stand in
                let held = try await Self.answerBeforeStore(stand)
                let live = try #require(stand.provider.liveRefreshTokens.first)
                try await stand.killOnceStored("the new refresh token") { $0.contains(live) }
                let before = stand.provider.events.count
                try await stand.restart { next in
                    let token = try await next.token()
                    #expect(token["access_token"] != held)
                    #expect(next.provider.accepts(accessToken: try #require(token["access_token"]?.string)))
                    #expect(next.provider.events.count == before)
                    #expect(try await next.token(["fresh": true])["refreshed"] == true)
                    #expect(next.sentTokens.count == 2)
                    #expect(Set(next.sentTokens).count == 2)
                }
            }
        }

        @Test func `after a crash a locked keyring keeps the token from being tried until it opens`() async throws {
            try await Stand.with(.rotating(grace: 30)) { stand in
                try await stand.signInQuietly()
                try await Self.askWithoutAnswer(stand)
                try await stand.crash(meanwhile: stand.session.lockKeyring) { next in
                    #expect(try await next.refusal("token.get", Self.fresh).kind == "store_locked")
                    #expect(next.sentTokens.count == 1)
                    try await next.session.unlockKeyring()
                    _ = try await next.token()
                    #expect(try await next.provider.next(.token).phase == .answered(status: 200))
                    try await Self.expectHealth(next, sent: 2)
                }
            }
        }

        /// Asks for a fresh token; the provider has committed the rotation and says nothing.
        private static func askWithoutAnswer(_ stand: Stand) async throws {
            stand.provider.script(.token, .commitAndHang(until: Gate()))
            stand.client.ask("token.get", fresh)
            try await stand.provider.next(.token, .arrived)
            try await committed(stand)
        }

        /// The commit follows the request's arrival on the provider's own thread.
        private static func committed(_ stand: Stand) async throws {
            let sent = try #require(stand.sentTokens.last)
            let limit = ContinuousClock.now.advanced(by: .seconds(10))
            while stand.provider.liveRefreshTokens.contains(sent), ContinuousClock.now < limit { await Task.yield() }
            #expect(!stand.provider.liveRefreshTokens.contains(sent))
        }

        /// The provider has answered, and the keyring, which has the mark, is frozen.
        ///
        /// - Returns: the access token held before.
        @discardableResult
        private static func answerBeforeStore(_ stand: Stand) async throws -> JSONValue? {
            try await stand.signInQuietly()
            let held = try await stand.token()["access_token"]
            let gate = Gate()
            stand.provider.script(.token, .commitAndHang(until: gate))
            stand.client.ask("token.get", fresh)
            try await stand.provider.next(.token, .arrived)
            stand.session.freezeKeyring()
            gate.open()
            try await stand.provider.next(.token)
            return held
        }

        /// The grant lives: the old token was sent `sent` times, the next one works.
        private static func expectHealth(_ next: Stand, sent: Int) async throws {
            let old = try #require(next.sentTokens.first)
            _ = try await next.token()
            let token = try await next.token(["fresh": true])
            #expect(next.provider.accepts(accessToken: try #require(token["access_token"]?.string)))
            #expect(next.sentTokens.count { $0 == old } == sent)
            #expect(next.sentTokens.count - sent == Set(next.sentTokens).count - 1, "later ones once each")
            #expect(try await next.status()["state"] == "ready")
            let live = next.provider.liveRefreshTokens
            let item = try await next.keyringItem()
            #expect(live.contains { item.contains($0) })
            #expect(!item.contains("\"pending\""))
        }

        /// One try, then the sentence; no further try, not after another start either, and a login fixes it.
        private static func expectLostRotation(_ next: Stand) async throws {
            #expect(try await next.provider.next(.token).phase == .answered(status: 400))
            for _ in 0..<2 { try await expectSentence(next) }
            #expect(try await !next.keyringItem().contains("rt-"))
            try await next.crash { third in
                try await expectSentence(third)
                #expect(third.sentTokens.count == 2)
                #expect(Set(third.sentTokens).count == 1)
                try await third.signIn()
                #expect(try await third.token(["fresh": true])["refreshed"] == true)
            }
        }

        private static func expectSentence(_ stand: Stand) async throws {
            let refusal = try await stand.refusal("token.get", fresh)
            #expect(refusal.kind == "login_required")
            #expect(refusal.data["reason"] == "lost_rotation")
            let status = try await stand.status()
            #expect(status["state"] == "login_required")
            #expect(status["reason"] == "lost_rotation")
        }
    }
}
