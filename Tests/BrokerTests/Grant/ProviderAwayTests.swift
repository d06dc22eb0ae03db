// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// What clients are told while the provider does not answer, by values.
@Suite(.timeLimit(.minutes(1))) struct ProviderAwayTests {
    @Test func `a token that holds is served whatever the provider's state, where no min_valid was named`() throws {
        var stand = try GrantStand(life: 3600, age: 3595)
        #expect(stand.ask() == .wait)
        stand.fail()
        #expect(stand.settle(renewed: false) == .held("A1"))
        #expect(stand.ask() == .held("A1"))
        stand.pass(5)
        #expect(stand.ask() == .wait)
        stand.fail()
        #expect(stand.settle(renewed: false) == .fail(.providerUnreachable))
        #expect(stand.lastError?.data["expires_in"] == nil)
    }

    @Test func `with min_valid named it is provider_unreachable with the held token's expires_in and retry_at`() throws
    {
        var stand = try GrantStand(life: 3600, age: 3540)
        #expect(stand.ask(TokenDemand(minValid: 600)) == .wait)
        stand.fail()
        #expect(stand.settle(TokenDemand(minValid: 600), renewed: false) == .fail(.providerUnreachable))
        #expect(stand.lastError?.data["expires_in"]?.int64 == 60)
        #expect(stand.lastError?.data["retry_at"]?.int64 == stand.now.wall + 5)
    }

    @Test func `a call tries at most once in 5 s, and retry_at is never early`() throws {
        var stand = try GrantStand(life: 3600, age: 3600)
        #expect(stand.ask() == .wait)
        stand.fail()
        stand.now.boot = stand.now.boot.advanced(by: .milliseconds(4500))
        #expect(stand.ask() == .fail(.providerUnreachable))
        #expect(stand.lastError?.data["retry_at"]?.int64 == stand.now.wall + 1)
        stand.now.boot = stand.now.boot.advanced(by: .milliseconds(500))
        #expect(stand.ask() == .wait)
    }

    @Test func `a call never tries before Retry-After (B9)`() throws {
        var stand = try GrantStand(life: 3600, age: 3600)
        #expect(stand.ask() == .wait)
        stand.fail(.throttled(seconds: 120))
        #expect(stand.settle(renewed: false) == .fail(.providerUnreachable))
        #expect(stand.lastError?.data["retry_at"]?.int64 == stand.now.wall + 120)
        stand.pass(119)
        #expect(stand.ask(.fresh) == .fail(.providerUnreachable))
        #expect(stand.due.map { $0 >= 1 } == true)
        stand.pass(1)
        #expect(stand.ask() == .wait)
    }

    @Test func `a forced refresh that fails is no reason to serve the refused token`() throws {
        var stand = try GrantStand()
        #expect(stand.ask(.rejected("A1")) == .wait)
        stand.fail()
        #expect(stand.settle(.rejected("A1"), renewed: false) == .fail(.providerUnreachable))
        #expect(stand.lastError?.data["expires_in"]?.int64 == 3600)
        #expect(stand.ask() == .held("A1"))
    }

    @Test func `what a person must mend is tried once a minute at most, and never by itself (class needs config)`()
        throws
    {
        var stand = try GrantStand(life: 3600, age: 3600)
        #expect(stand.ask() == .wait)
        stand.fail(.misconfigured)
        #expect(stand.settle(renewed: false) == .fail(.providerError))
        #expect(stand.due == nil)
        stand.pass(59)
        #expect(stand.ask() == .fail(.providerError))
        stand.pass(1)
        #expect(stand.ask() == .wait)
        stand.fail(.misconfigured)
        stand.machine.reconfigured(settings: stand.account.refresh, isHeldBack: false)
        #expect(stand.ask() == .wait)
    }

    @Test func `a certificate that is not accepted three times is for a person to mend (class needs config)`() throws {
        var stand = try GrantStand(life: 3600, age: 3600)
        for _ in 0..<3 {
            #expect(stand.due != nil)
            stand.pass(5)
            #expect(stand.ask() == .wait)
            stand.fail(.untrusted)
        }
        #expect(stand.due == nil)
        stand.machine.timeJumped(at: stand.now, random: 0)
        #expect(stand.due != nil)
    }

    @Test func `an unknown error is passing, until it came three times over 15 minutes (class unknown)`() throws {
        var stand = try GrantStand(life: 3600, age: 3600)
        for wait in [450, 449] as [Int64] {
            #expect(stand.ask() == .wait)
            stand.fail(.unknown)
            stand.pass(wait)
        }
        #expect(stand.ask() == .wait)
        stand.fail(.unknown)
        stand.pass(5)
        #expect(stand.ask() == .wait)
        stand.fail(.unknown)
        let actions = stand.actions
        #expect(stand.settle(renewed: false) == .fail(.loginRequired))
        #expect(stand.lastError?.data["reason"] == "refused")
        // The refresh token stays in the store, which is told; nothing clears it, and nothing is tried by itself.
        guard case .note(let record)? = actions.first else {
            Issue.record("nothing is noted: \(actions)")
            return
        }
        #expect(record.refusal?.message == "quota_exceeded" && record.refreshToken != nil)
        #expect(stand.due == nil)
    }

    @Test func `back-off grows to 5 min while a token holds and to 15 min after, with a floor (engine rule 19, B10)`()
        throws
    {
        var stand = try GrantStand(life: 1000, age: 800)
        var waits: [Double] = []
        for _ in 0..<12 {
            #expect(stand.ask(TokenDemand(minValid: 900)) == .wait)
            stand.fail(random: 1)
            waits.append(try #require(stand.due))
            stand.pass(5)
        }
        #expect(Array(waits.prefix(5)) == [2, 4, 8, 16, 32])
        #expect(waits.last == 300)
        stand.pass(200)
        #expect(stand.ask() == .wait)
        stand.fail(random: 1)
        #expect(stand.due == 900)
        stand.pass(5)
        #expect(stand.ask() == .wait)
        stand.fail(random: 0)
        #expect(stand.due == 1)
    }

    @Test func `the grant's end leaves its last token good until that ends (field failure K)`() throws {
        var stand = try GrantStand(life: 3600, age: 3500)
        #expect(stand.ask(TokenDemand(minValid: 600)) == .wait)
        let tombstone = stand.record("A1").tombstone(
            .init(reason: .ended, oauthError: "invalid_grant", at: stand.now.wall)
        )
        stand.finish(.ended(tombstone, nil))
        #expect(stand.settle(TokenDemand(minValid: 600), renewed: false) == .fail(.loginRequired))
        #expect(stand.lastError?.data["oauth_error"] == "invalid_grant")
        #expect(stand.ask() == .held("A1"))
        #expect(stand.ask(.fresh) == .fail(.loginRequired))
        stand.pass(100)
        #expect(stand.ask() == .fail(.loginRequired))
    }
}
