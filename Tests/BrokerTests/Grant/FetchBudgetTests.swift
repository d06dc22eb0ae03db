// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// How often clients can have one grant refreshed, whatever they name.
@Suite(.timeLimit(.minutes(1))) struct FetchBudgetTests {
    private static func variant(_ number: Int) -> TokenVariant { TokenVariant(audience: "a\(number)") }

    @Test func `forced renewals are one a gap for the grant, whatever audience they name`() throws {
        var stand = try GrantStand()
        for number in 0..<4 {
            _ = stand.ask(.of(Self.variant(number)))
            stand.derive("T\(number)", for: Self.variant(number))
        }
        stand.pass(300)
        var forced = 0
        for second in 0..<120 {
            for number in 0..<4 {
                guard stand.ask(TokenDemand(fresh: true, variant: Self.variant(number))) == .wait else { continue }
                forced += 1
                stand.derive("N\(second)", for: Self.variant(number))
            }
            stand.pass(1)
        }
        #expect(forced == 2)
    }

    @Test func `an older token that an API refuses within the gap waits for its end, and is not said to be fresh`()
        throws
    {
        var stand = try GrantStand()
        _ = stand.ask(.of(.files))
        stand.derive("F1", for: .files)
        stand.pass(300)
        #expect(stand.ask(.rejected("A1")) == .wait)
        stand.renew("A2")
        stand.pass(20)
        var rejected = TokenDemand.rejected("F1")
        rejected.variant = .files
        #expect(stand.ask(rejected) == .fail(.providerUnreachable))
        #expect(stand.lastError?.data["retry_at"]?.int64 == stand.now.wall + 40)
        stand.pass(40)
        #expect(stand.ask(rejected) == .wait)
    }

    @Test func `a new audience with each request soon costs no request any more`() throws {
        var stand = try GrantStand()
        var requests = 0
        // Ten seconds of a client in a loop.
        for number in 0..<1000 {
            if stand.ask(TokenDemand(fresh: true, variant: Self.variant(number))) == .wait {
                requests += 1
                stand.derive("T\(number)", for: Self.variant(number))
            } else {
                #expect(stand.lastError?.kind == .providerUnreachable)
                #expect(stand.lastError?.data["retry_at"]?.int64 ?? 0 > stand.now.wall)
            }
            stand.now.boot = stand.now.boot.advanced(by: .milliseconds(10))
        }
        #expect(requests == FetchBudget.burst)
        // What is held is served, and the account's own token is not touched by it.
        #expect(stand.ask(.of(Self.variant(FetchBudget.burst - 1))) == .held("T\(FetchBudget.burst - 1)"))
        #expect(stand.ask() == .held("A1"))
        // Twice the interval has gone by since the first.
        stand.pass(FetchBudget.interval)
        for number in 2000..<2002 {
            #expect(stand.ask(.of(Self.variant(number))) == .wait)
            stand.derive("X", for: Self.variant(number))
        }
        #expect(stand.ask(.of(Self.variant(2002))) == .fail(.providerUnreachable))
    }

    @Test func `what was not used for a while is there again, and no more than that`() {
        var budget = FetchBudget()
        var now = HandClock.start.boot
        for _ in 0..<FetchBudget.burst { #expect(budget.take(at: now) == nil) }
        #expect(budget.take(at: now) == now.advanced(by: .seconds(FetchBudget.interval)))
        now = now.advanced(by: .seconds(3 * FetchBudget.interval))
        for _ in 0..<3 { #expect(budget.take(at: now) == nil) }
        #expect(budget.take(at: now) != nil)
        now = now.advanced(by: .seconds(1_000_000))
        for _ in 0..<FetchBudget.burst { #expect(budget.take(at: now) == nil) }
        #expect(budget.take(at: now) != nil)
    }

    @Test func `a wish a second below the whole life costs one refresh a minute`() throws {
        var stand = try GrantStand()
        var requests = 0
        for second in 0..<180 {
            if stand.ask(TokenDemand(minValid: 3599)) == .wait {
                requests += 1
                stand.renew("T\(second)")
            }
            stand.pass(1)
        }
        #expect(requests == 2)
    }
}
