// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import Synchronization
import TestSupport
import Testing

extension Programs {
    /// What a provider without grace costs: it answers 200 ms after it has replaced the token, and the daemon is killed at
    /// random moments. A login is lost where the kill fell between the two, and nowhere else; so as many are as the length
    /// of that window says. `scripts/torture` sets the number of kills and the seed.
    @Suite struct Losses {
        private static let delay = Duration.milliseconds(200)
        /// Kills come at a moment of this, counted from the client's request: long enough for a renewal on a busy machine.
        private static let span = Duration.milliseconds(800)

        /// What one renewal was like, and what the kill in it did.
        private struct Life {
            /// When the kill came, from the request on.
            var killed: Duration
            /// When the provider had the request and when it had replaced the token; nil: the kill came before.
            var arrived: Duration?
            var committed: Duration?
            /// When the client had its answer; nil: the kill came before.
            var served: Duration?
            var isLost = false
        }

        /// When the provider did what, by its own thread.
        private final class Moments: Sendable {
            private let state = Mutex<(arrived: ContinuousClock.Instant?, committed: ContinuousClock.Instant?)>(
                (nil, nil)
            )

            var arrived: ContinuousClock.Instant? { state.withLock { $0.arrived } }
            var committed: ContinuousClock.Instant? { state.withLock { $0.committed } }
            func clear() { state.withLock { $0 = (nil, nil) } }
            func arrive() { state.withLock { $0.arrived = .now } }
            func commit() { state.withLock { $0.committed = .now } }
        }

        @Test func `without grace a kill loses a login only between the provider's commit and the store`()
            async throws
        {
            let variables = ProcessInfo.processInfo.environment
            let kills = variables["TOKEND_TORTURE_KILLS"].flatMap { Int($0) } ?? 16
            // In an ordinary run always the same moments: one run of a hundred lies outside of what 99 lie in.
            let seed = variables["TOKEND_TORTURE_SEED"].flatMap { UInt64($0) } ?? 5
            var moments = SeededMoments(seed: seed)
            let provider = Moments()
            try await Stand.with(
                .rotating(grace: 0),
                excusing: [.refreshTokenReused],
                prepare: { world, provider in
                    try world.writeAccount("work", issuer: provider.issuer, more: "refresh: { forced_gap: 0 }")
                    provider.change { $0.refreshesIDToken = false }
                },
                { stand in
                    try await stand.signIn()
                    stand.provider.onEvent { if $0.endpoint == .token, $0.phase == .arrived { provider.arrive() } }
                    stand.provider.scriptAlways(
                        .token,
                        .editing { _ in
                            provider.commit()
                            usleep(200_000)
                        }
                    )
                    var lives: [Life] = []
                    // The next daemon is started by the test that looks at what is left.
                    try await Self.liveAndDie(stand, provider, Self.moment(&moments), &lives)
                    for number in 1...kills {
                        let isLost = try await Self.isSpent(stand)
                        lives[number - 1].isLost = isLost
                        let next = Self.moment(&moments)
                        try await stand.restart { daemon in
                            try await Self.expect(daemon, isLost: isLost)
                            if number < kills { try await Self.liveAndDie(daemon, provider, next, &lives) }
                        }
                    }
                    Self.judge(lives, seed: seed)
                }
            )
        }

        private static func moment(_ moments: inout SeededMoments) -> Duration {
            .microseconds(Int64.random(in: 0..<(span.components.attoseconds / 1_000_000_000_000), using: &moments))
        }

        /// Asks for one renewal and kills the daemon at that moment of it.
        private static func liveAndDie(
            _ stand: Stand,
            _ provider: Moments,
            _ moment: Duration,
            _ lives: inout [Life]
        ) async throws {
            // The work that the start had left is done.
            try await stand.awaitState("ready")
            provider.clear()
            let start = ContinuousClock.now
            let client = stand.client
            let answer = Task { () -> Duration? in
                let reply = try? await client.call("token.get", ["account": "work", "fresh": true])
                return reply?["result"] == nil ? nil : start.duration(to: .now)
            }
            try await Task.sleep(until: start.advanced(by: moment), tolerance: .zero, clock: .continuous)
            stand.daemon.process.signal(SIGKILL)
            let killed = start.duration(to: .now)
            _ = try await stand.daemon.process.exit()
            let served = await answer.value
            lives.append(
                Life(
                    killed: killed,
                    arrived: provider.arrived.map { start.duration(to: $0) },
                    committed: provider.committed.map { start.duration(to: $0) },
                    served: served
                )
            )
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

        private static func mean(of durations: [Duration]) -> Duration {
            durations.isEmpty ? .zero : durations.reduce(.zero, +) / durations.count
        }

        /// Holds the losses against the window, one by one and all together.
        private static func judge(_ lives: [Life], seed: UInt64) {
            let losses = lives.count { $0.isLost }
            // What a kill costs beyond the delay: the way of the answer and the store's write, as those took that were not
            // killed; and the request's way, on which it may be when its daemon dies.
            let rests = lives.compactMap { life in
                life.served.flatMap { served in life.committed.map { served - $0 - delay } }
            }
            let ways = lives.compactMap { life in life.committed.map { $0 - (life.arrived ?? $0) } }
            let mean = mean(of: rests) + mean(of: ways)
            let longest = delay + (rests.max() ?? .milliseconds(100)) + (ways.max() ?? .zero) + .milliseconds(5)
            let window = LossWindow(span: span, shortest: delay, longest: delay + mean + .milliseconds(5))
            let expected = window.losses(of: lives.count)
            print(
                "torture: \(losses) of \(lives.count) kills lost the login at a provider without grace; 99 of 100 runs "
                    + "lose \(expected.lowerBound) to \(expected.upperBound) in a window of \(delay.milliseconds) to "
                    + "\(window.longest.milliseconds) of \(span.milliseconds), seed \(seed)"
            )
            for life in lives where life.isLost {
                #expect(life.committed != nil && life.served == nil, "lost outside of the window: \(life)")
                #expect(life.committed.map { life.killed - $0 < longest } == true, "lost after the window: \(life)")
            }
            let late = lives.count { ($0.committed ?? .zero) + window.longest > span }
            guard late * 50 <= lives.count else {
                return print("torture: the count says nothing: \(late) windows did not lie within the span")
            }
            #expect(expected.contains(losses))
        }
    }
}
