// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Testing

@Suite struct RefreshPolicyTests {
    @Test(
        arguments: [
            (3600, 3300), (3599, 3299), (300, 240), (1000, 800), (120, 90), (86_400, 86_100), (100, 70), (62, 32),
        ] as [(Int64, Int64)]
    )
    func `the default margin is a fifth of the life, between 30 and 300 s (rule 15)`(life: Int64, point: Int64) {
        #expect(RefreshPolicy().refreshPoint(sentAt: 1000, lifetime: .seconds(life), jitter: 0) == 1000 + point)
    }

    @Test(arguments: [(60, 30), (59, 29), (40, 20), (20, 10), (15, 10), (1, 10)] as [(Int64, Int64)])
    func `short lives are half used, and 10 s pass in any case (rule 15)`(life: Int64, point: Int64) {
        for jitter in [0, 0.5, 1] {
            #expect(RefreshPolicy().refreshPoint(sentAt: 0, lifetime: .seconds(life), jitter: jitter) == point)
        }
    }

    @Test func `jitter goes ahead by a tenth of the margin at most (rule 15)`() {
        let policy = RefreshPolicy()
        #expect(policy.refreshDelay(lifetime: .seconds(3600), jitter: 1) == 3270)
        #expect(policy.refreshDelay(lifetime: .seconds(3600), jitter: 0.5) == 3285)
        #expect(policy.refreshDelay(lifetime: .seconds(3600), jitter: 7) == 3270)
    }

    @Test func `a configured margin holds, but never for more than half of the life (rule 15)`() {
        #expect(RefreshPolicy(margin: 600).refreshDelay(lifetime: .seconds(3600), jitter: 0) == 3000)
        #expect(RefreshPolicy(margin: 3000).refreshDelay(lifetime: .seconds(3600), jitter: 1) == 1800)
        #expect(RefreshPolicy(margin: 0).refreshDelay(lifetime: .seconds(3600), jitter: 1) == 3600)
        #expect(RefreshPolicy(margin: -5).refreshDelay(lifetime: .seconds(3600), jitter: 1) == 3600)
    }

    @Test func `no stated lifetime means an hour, 0 a minute, no end no refresh (rule 14, A3, 6749-13)`() {
        #expect(RefreshPolicy().refreshDelay(lifetime: .unknown, jitter: 0) == 3300)
        #expect(RefreshPolicy().refreshDelay(lifetime: .elapsed, jitter: 0) == 60)
        #expect(RefreshPolicy().refreshDelay(lifetime: .unlimited, jitter: 0) == nil)
    }

    @Test func `a preset raises the least gap (rule 15)`() {
        var policy = RefreshPolicy()
        policy.minimumGap = 60
        #expect(policy.refreshDelay(lifetime: .seconds(30), jitter: 0) == 60)
    }

    @Test func `the longest life overflows nothing (rule 14)`() {
        let point = RefreshPolicy().refreshPoint(sentAt: now, lifetime: .seconds(Lifetime.longest), jitter: 1)
        #expect(point == now + Lifetime.longest - 330)
    }

    @Test func `a grant is kept alive at half of its own life (rule 17)`() {
        let policy = RefreshPolicy(keepAlive: 259_200)
        #expect(policy.keepAliveDelay(grantLifetime: nil) == 259_200)
        #expect(policy.keepAliveDelay(grantLifetime: 86_400) == 43_200)
        #expect(policy.keepAliveDelay(grantLifetime: 7_776_000) == 259_200)
        #expect(RefreshPolicy().keepAliveDelay(grantLifetime: 86_400) == nil)
    }

    @Test(arguments: [0, -1, -86_400, Int64.min] as [Int64])
    func `a grant's life that is over is none, and no reason to refresh in a loop (rule 17)`(life: Int64) {
        #expect(RefreshPolicy(keepAlive: 259_200).keepAliveDelay(grantLifetime: life) == 259_200)
    }
}

@Suite struct BackoffTests {
    @Test(arguments: [(1, 2), (2, 4), (3, 8), (8, 256), (9, 300), (40, 300), (Int.max, 300)])
    func `the span doubles up to 5 min while a token is held (rule 19)`(attempt: Int, seconds: Int) {
        #expect(Backoff.wait(attempt: attempt, holdsToken: true, random: 1) == .seconds(seconds))
    }

    @Test func `without a token the span ends at 15 min (rule 19)`() {
        #expect(Backoff.wait(attempt: 40, holdsToken: false, random: 1) == .seconds(900))
    }

    @Test func `the wait is anywhere in the span, but no hot loop (rule 19, B10)`() {
        #expect(Backoff.wait(attempt: 5, holdsToken: true, random: 0.5) == .seconds(16))
        for attempt in [Int.min, 0, 1, 5] {
            #expect(Backoff.wait(attempt: attempt, holdsToken: true, random: 0) == .seconds(1))
        }
    }

    @Test func `Retry-After is never undercut (rule 19, B9)`() {
        #expect(Backoff.wait(attempt: 1, holdsToken: true, random: 0, retryAfter: .seconds(120)) == .seconds(120))
        #expect(Backoff.wait(attempt: 9, holdsToken: true, random: 1, retryAfter: .seconds(120)) == .seconds(300))
    }
}
