// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// What protocol.md says of `token.get`, sentence by sentence, by values.
@Suite(.timeLimit(.minutes(1))) struct TokenGetTests {
    // MARK: min_valid

    @Test func `a token that holds for ten seconds is served without a word (min_valid, default 10)`() throws {
        var stand = try GrantStand(life: 3600, age: 3590)
        #expect(stand.ask() == .held("A1"))
        #expect(stand.actions.isEmpty)
        stand.pass(1)
        #expect(stand.ask() == .wait)
        #expect(stand.actions == [.refresh(try #require(stand.machine.record))])
    }

    @Test func `a token that holds as long as was asked for is served, a second less is renewed first (min_valid)`()
        throws
    {
        var stand = try GrantStand(life: 3600, age: 3000)
        #expect(stand.ask(TokenDemand(minValid: 600)) == .held("A1"))
        stand.pass(1)
        #expect(stand.ask(TokenDemand(minValid: 600)) == .wait)
    }

    @Test func `min_valid 0 takes a token to its last second`() throws {
        var stand = try GrantStand(life: 3600, age: 3599)
        #expect(stand.ask(TokenDemand(minValid: 0)) == .held("A1"))
        stand.pass(1)
        #expect(stand.ask(TokenDemand(minValid: 0)) == .wait)
    }

    @Test func `shorter tokens yield a fresh one with its true life, never a loop (min_valid, engine rule 16)`() throws
    {
        var stand = try GrantStand(life: 5, age: 5)
        #expect(stand.ask(TokenDemand(minValid: 60)) == .wait)
        stand.renew("A2", life: 5)
        #expect(stand.settle(TokenDemand(minValid: 60), renewed: true) == .renewed("A2"))
        #expect(stand.actions.isEmpty)
        #expect(stand.ask(TokenDemand(minValid: 60)) == .held("A2"))
    }

    @Test func `a token that is over when it arrives is served all the same, once (engine rule 16)`() throws {
        var stand = try GrantStand(life: 1, age: 1)
        #expect(stand.ask() == .wait)
        let late = stand.record("A2", life: 1)
        stand.pass(3)
        stand.finish(.renewed(late, isStored: true))
        #expect(stand.settle(renewed: true) == .renewed("A2"))
        #expect(stand.machine.record?.token?.remaining(at: stand.now) == 0)
        #expect(stand.actions.isEmpty)
    }

    @Test func `a wish above the whole life costs one refresh, then half of the life is served (min_valid)`() throws {
        var stand = try GrantStand(life: 3600, age: 1900)
        let demand = TokenDemand(minValid: 7200)
        #expect(stand.ask(demand) == .wait)
        stand.renew("A2")
        #expect(stand.settle(demand, renewed: true) == .renewed("A2"))
        stand.pass(1799)
        #expect(stand.ask(demand) == .held("A2"))
        stand.pass(1)
        #expect(stand.ask(demand) == .wait)
    }

    // MARK: rejected and fresh

    @Test func `the held token that an API refused is renewed before the answer (rejected, B12, 42)`() throws {
        var stand = try GrantStand()
        #expect(stand.ask(.rejected("A1")) == .wait)
        stand.renew("A2")
        #expect(stand.settle(.rejected("A1"), renewed: true) == .renewed("A2"))
    }

    @Test func `an older token that an API refused is answered with the newer one (rejected, engine rule 20)`() throws {
        var stand = try GrantStand()
        #expect(stand.ask(.rejected("A0")) == .held("A1"))
        #expect(stand.actions.isEmpty)
    }

    @Test func `fresh renews whatever is held, once in the forced gap (engine rule 20)`() throws {
        var stand = try GrantStand()
        #expect(stand.ask(.fresh) == .wait)
        stand.renew("A2")
        #expect(stand.settle(.fresh, renewed: true) == .renewed("A2"))
        stand.pass(59)
        #expect(stand.ask(.fresh) == .held("A2"))
        stand.pass(1)
        #expect(stand.ask(.fresh) == .wait)
    }

    @Test func `a token refused again within the gap is token_rejected, to that client alone`() throws {
        var stand = try GrantStand()
        #expect(stand.ask(.rejected("A1")) == .wait)
        stand.renew("A2")
        stand.pass(10)
        #expect(stand.ask(.rejected("A2")) == .fail(.tokenRejected))
        #expect(stand.lastError?.data["account"] == "work")
        #expect(stand.ask() == .held("A2"))
        #expect(stand.ask(.rejected("A1")) == .held("A2"))
        stand.pass(50)
        #expect(stand.ask(.rejected("A2")) == .wait)
    }

    @Test func `the gap counts from the last forced refresh that succeeded`() throws {
        var stand = try GrantStand()
        #expect(stand.ask(.fresh) == .wait)
        stand.fail()
        stand.pass(5)
        #expect(stand.ask(.fresh) == .wait)
        stand.renew("A2")
        stand.pass(30)
        #expect(stand.ask(.fresh) == .held("A2"))
    }

    @Test func `a refresh that nobody forced does not begin the gap`() throws {
        var stand = try GrantStand(life: 3600, age: 3600)
        #expect(stand.ask() == .wait)
        stand.renew("A2")
        #expect(stand.ask(.rejected("A2")) == .wait)
    }

    @Test func `forced_gap 0 sets no limit`() throws {
        var stand = try GrantStand { $0.forcedGap = 0 }
        #expect(stand.ask(.fresh) == .wait)
        stand.renew("A2")
        #expect(stand.ask(.fresh) == .wait)
    }

    @Test func `a provider that issues the same token again is no loop, whatever the gap`() throws {
        var stand = try GrantStand { $0.forcedGap = 0 }
        #expect(stand.ask(.rejected("A1")) == .wait)
        stand.renew("A1")
        #expect(stand.settle(.rejected("A1"), renewed: true) == .fail(.tokenRejected))
        #expect(stand.actions.isEmpty)
    }

    @Test func `a token that ends within the gap is renewed as any other`() throws {
        var stand = try GrantStand(life: 30)
        #expect(stand.ask(.fresh) == .wait)
        stand.renew("A2", life: 30)
        stand.pass(40)
        #expect(stand.ask(.rejected("A2")) == .wait)
        stand.renew("A3", life: 30)
        #expect(stand.settle(.rejected("A2"), renewed: true) == .renewed("A3"))
    }

    @Test func `who asks by force while a refresh is under way waits for that one (engine rule 1)`() throws {
        var stand = try GrantStand(life: 3600, age: 3600)
        #expect(stand.ask() == .wait)
        #expect(stand.ask(.fresh) == .wait)
        #expect(stand.actions.isEmpty)
        stand.renew("A2")
        #expect(stand.settle(.fresh, renewed: true) == .renewed("A2"))
    }

    // MARK: scope

    @Test func `a scope that the grant lacks is told with what there is, and refreshes nothing`() throws {
        var stand = try GrantStand()
        #expect(stand.ask(TokenDemand(scope: Scope("mail calendar"))) == .fail(.insufficientScope))
        #expect(stand.lastError?.data["granted"] == "mail")
        #expect(stand.lastError?.data["requested"] == "mail calendar")
        #expect(stand.actions.isEmpty)
        #expect(stand.ask(TokenDemand(scope: Scope("mail"))) == .held("A1"))
    }

    // MARK: Without a stated end

    @Test(arguments: [(Lifetime.unknown, Int64(3300)), (Lifetime.elapsed, Int64(60))])
    func `a token without a stated end is served, renewed on suspicion, and served still where that fails (A3, A4)`(
        life: Lifetime,
        span: Int64
    ) throws {
        var stand = try GrantStand { $0.policy = .onDemand }
        var record = stand.record("A1")
        record.token?.lifetime = life
        _ = stand.machine.signedIn(record, at: stand.now, random: 0)
        stand.pass(span - 1)
        #expect(stand.ask(TokenDemand(minValid: 600)) == .held("A1"))
        stand.pass(1)
        #expect(stand.ask(TokenDemand(minValid: 600)) == .wait)
        stand.fail()
        #expect(stand.settle(TokenDemand(minValid: 600), renewed: false) == .held("A1"))
    }

    @Test func `without an end and without a refresh token it is served for good (A4)`() throws {
        var stand = try GrantStand(isRenewable: false)
        var record = try #require(stand.machine.record)
        record.token?.lifetime = .unknown
        _ = stand.machine.signedIn(record, at: stand.now, random: 0)
        stand.pass(86_400 * 90)
        #expect(stand.ask() == .held("A1"))
        #expect(stand.due == nil)
    }

    @Test func `a token that cannot be renewed is served to its end, then a login is asked for`() throws {
        var stand = try GrantStand(isRenewable: false)
        stand.pass(3595)
        #expect(stand.ask() == .held("A1"))
        stand.pass(5)
        #expect(stand.ask() == .fail(.loginRequired))
        #expect(stand.lastError?.data["reason"] == "ended")
    }
}
