// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// What a provider without grace costs: it answers 200 ms after it has replaced the token, and the daemon is killed
    /// at random moments. A login is lost where the kill fell between the two, and nowhere else.
    @Suite struct Losses {
        @Test func `without grace a kill loses a login only between the provider's commit and the store`()
            async throws
        {
            let given = ProcessInfo.processInfo.environment["TOKEND_TORTURE_KILLS"].flatMap { Int($0) }
            let kills = max(16, (given ?? 80) / 4)
            try await Stand.with(
                .rotating(grace: 0),
                excusing: [.refreshTokenReused],
                prepare: { world, provider in
                    try world.writeAccount("work", issuer: provider.issuer, more: "refresh: { forced_gap: 0 }")
                    provider.change { $0.refreshesIDToken = false }
                },
                { stand in
                    try await stand.signIn()
                    stand.provider.scriptAlways(.token, .editing { _ in usleep(200_000) })
                    try await Self.loadAndKill(stand)
                    var losses = 0
                    for number in 1...kills {
                        let isLost = try await Self.isSpent(stand)
                        losses += isLost ? 1 : 0
                        try await stand.restart { next in
                            try await Self.expect(next, isLost: isLost)
                            if number < kills { try await Self.loadAndKill(next) }
                        }
                    }
                    print("torture: \(losses) of \(kills) kills lost the login at a provider without grace")
                    #expect(losses > 0)
                }
            )
        }

        /// Kills the daemon at a random moment of forced renewals, each of which takes a little more than 200 ms.
        private static func loadAndKill(_ stand: Stand) async throws {
            let client = BusyClient(path: stand.world.socketPath, account: "work", fresh: true)
            let task = Task { try await client.run() }
            try await Task.sleep(for: .milliseconds(.random(in: 0..<600)))
            try await stand.daemon.kill()
            client.stop()
            try await task.value
            #expect(client.faults.isEmpty, "\(client.faults)")
        }

        /// Whether the provider has replaced the refresh token that the store holds.
        private static func isSpent(_ stand: Stand) async throws -> Bool {
            let item = try await stand.keyringItem()
            // What was on its way to the provider has been dealt with when it has answered, or tried to.
            let limit = ContinuousClock.now.advanced(by: .seconds(10))
            var (arrived, ended) = (1, 0)
            while arrived != ended, ContinuousClock.now < limit {
                let events = stand.provider.events.filter { $0.endpoint == .token }
                arrived = events.count { $0.phase == .arrived }
                ended = events.count - arrived
                await Task.yield()
            }
            #expect(arrived == ended)
            return !stand.provider.liveRefreshTokens.contains { item.contains($0) }
        }

        private static func expect(_ next: Stand, isLost: Bool) async throws {
            guard isLost else {
                #expect(try await next.token(["fresh": true])["refreshed"] == true)
                return
            }
            let refusal = try await next.refusal("token.get", ["account": "work", "fresh": true])
            #expect(refusal.kind == "login_required")
            #expect(refusal.data["reason"] == "lost_rotation")
            try await next.signIn()
        }
    }
}
