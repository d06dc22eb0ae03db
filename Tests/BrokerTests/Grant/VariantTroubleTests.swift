// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Tokens that are not the account's own, where something is in the way; by values.
@Suite(.timeLimit(.minutes(1))) struct VariantTroubleTests {
    // MARK: Failures

    @Test(arguments: ["invalid_target", "invalid_scope"])
    func `a combination that is refused is refused alone, and the grant is kept (8707-2)`(code: String) throws {
        var stand = try GrantStand(age: 3500)
        #expect(stand.ask(.of(.calendar)) == .wait)
        #expect(stand.ask(.of(.files)) == .wait)
        stand.refuse(code)
        #expect(stand.settle(.of(.calendar), renewed: false, of: .calendar) == .fail(.providerError))
        #expect(stand.lastError?.data["oauth_error"] == .string(code))
        #expect(stand.settle(.of(.files), renewed: false, of: .calendar) == .wait)
        #expect(stand.actions == [.refresh(try #require(stand.machine.record), for: .files)])
        stand.derive("F1", for: .files)
        #expect(stand.ask(TokenDemand(minValid: 600)) == .wait, "nothing keeps the account's own back")
        stand.renew("A2")
        #expect(stand.ask(.of(.calendar)) == .fail(.providerError) && stand.actions.isEmpty, "not asked again at once")
        stand.pass(60)
        #expect(stand.ask(.of(.calendar)) == .wait)
    }

    @Test func `a refusal of what the account's file names does not keep others back (8707-2)`() throws {
        var stand = try GrantStand(age: 3600)
        #expect(stand.ask() == .wait)
        stand.refuse()
        #expect(stand.settle(renewed: false) == .fail(.providerError))
        #expect(stand.ask(.of(.files)) == .wait)
        stand.derive("F1", for: .files)
        #expect(stand.ask(.of(.files)) == .held("F1"))
        #expect(stand.ask() == .fail(.providerError))
    }

    @Test func `a provider that is away is away for all, and back for all (B2)`() throws {
        var stand = try GrantStand(age: 3600)
        #expect(stand.ask(.of(.files)) == .wait)
        #expect(stand.ask() == .wait && stand.ask(.of(.calendar)) == .wait)
        stand.fail()
        for (demand, isFirst) in [(TokenDemand.of(.files), true), (TokenDemand(), false), (.of(.calendar), false)] {
            #expect(stand.settle(demand, renewed: false, of: .files) == .fail(.providerUnreachable), "\(isFirst)")
            #expect(stand.actions.isEmpty)
            #expect(stand.ask(demand) == .fail(.providerUnreachable), "one try in five seconds for them all")
        }
        stand.pass(5)
        #expect(stand.ask(.of(.calendar)) == .wait)
        stand.derive("C1", for: .calendar)
        #expect(stand.ask() == .wait && stand.actions.count == 1)
    }

    @Test func `a wait that the provider names is everyone's (B2)`() throws {
        var stand = try GrantStand()
        _ = stand.ask(.of(.files))
        stand.fail(.throttled(seconds: 120))
        stand.pass(119)
        #expect(stand.ask(.of(.calendar)) == .fail(.providerUnreachable))
        #expect(stand.lastError?.data["retry_at"] == .integer(stand.now.wall + 1))
        stand.pass(1)
        #expect(stand.ask(.of(.calendar)) == .wait)
    }

    @Test func `a token that still holds is served while its next one is refused, unless more was asked`() throws {
        var stand = try GrantStand()
        _ = stand.ask(.of(.files))
        stand.derive("F1", for: .files)
        stand.pass(3500)
        #expect(stand.ask(.of(.files, minValid: 600)) == .wait)
        stand.refuse()
        #expect(stand.settle(.of(.files, minValid: 600), renewed: false, of: .files) == .fail(.providerError))
        #expect(stand.ask(.of(.files)) == .held("F1"))
    }

    @Test func `another setting lets a refused combination be tried again`() throws {
        var stand = try GrantStand()
        _ = stand.ask(.of(.files))
        stand.refuse()
        stand.machine.reconfigured(settings: stand.account.refresh, isHeldBack: false)
        #expect(stand.ask(.of(.files)) == .wait)
    }

    // MARK: The store

    @Test func `a token whose refresh token the store refused is served once the store has it (engine rule 4)`() throws
    {
        var stand = try GrantStand()
        _ = stand.ask(.of(.files))
        let record = try #require(stand.machine.record).replacing(Secret("R2"))
        stand.finish(.unstored(record, MemoryCredentialStore.locked, nil, stand.derived("F1", for: .files)))
        #expect(stand.settle(.of(.files), renewed: false, of: .files) == .fail(.storeLocked))
        #expect(stand.ask() == .held("A1"))
        #expect(stand.machine.newestRecord?.refreshToken == Secret("R2"))
        _ = stand.machine.storeOpened(at: stand.now)
        #expect(stand.machine.written(.success(()), at: stand.now) == [.resumeWaiters(renewed: true, of: .files)])
        #expect(stand.ask(.of(.files)) == .held("F1"))
        #expect(stand.machine.record?.refreshToken == Secret("R2"))
        #expect(stand.machine.record?.token?.accessToken == Secret("A1"))
    }

    @Test func `a store that does not answer sends nothing for anyone`() throws {
        var stand = try GrantStand(age: 3600)
        #expect(stand.ask(.of(.files)) == .wait && stand.ask() == .wait)
        stand.finish(.storeBlocked(MemoryCredentialStore.locked))
        #expect(stand.settle(.of(.files), renewed: false, of: .files) == .fail(.storeLocked))
        #expect(stand.settle(renewed: false, of: .files) == .fail(.storeLocked) && stand.actions.isEmpty)
    }

    // MARK: The end

    @Test func `after the grant's end each token serves to its own end; after another person's none does`() throws {
        for reason in [EndReason.ended, .subject] {
            var stand = try GrantStand()
            _ = stand.ask(.of(.files))
            stand.derive("F1", for: .files)
            _ = stand.ask(.fresh)
            let record = try #require(stand.machine.record)
            stand.finish(.ended(record.tombstone(.init(reason: reason, at: stand.now.wall)), nil))
            #expect(stand.ask(.of(.files)) == (reason == .ended ? .held("F1") : .fail(.loginRequired)))
            #expect(stand.ask(.of(.calendar)) == .fail(.loginRequired))
            stand.pass(3600)
            #expect(stand.ask(.of(.files)) == .fail(.loginRequired))
        }
    }

    @Test func `a logout and a new login forget them all`() throws {
        var stand = try GrantStand()
        _ = stand.ask(.of(.files))
        stand.derive("F1", for: .files)
        _ = stand.machine.loggedOut()
        #expect(stand.ask(.of(.files)) == .fail(.loginRequired))
        _ = stand.machine.signedIn(stand.record("B1"), at: stand.now, random: 0)
        #expect(stand.ask(.of(.files)) == .wait)
    }

    // MARK: Time and room

    @Test func `one is renewed by itself only where a client has asked since it came`() throws {
        var stand = try GrantStand()
        _ = stand.ask(.of(.files))
        stand.derive("F1", for: .files, life: 1000)
        #expect(stand.due == 3300, "the account's own alone")
        #expect(stand.ask(.of(.files)) == .held("F1"))
        #expect(stand.due == 800)
        stand.pass(800)
        #expect(stand.timer() == [.refresh(try #require(stand.machine.record), for: .files)])
        stand.derive("F2", for: .files, life: 1000)
        #expect(stand.due == 2500, "nobody has asked since")
    }

    @Test func `nothing is renewed by itself on demand, paused, or while the provider is away`() throws {
        var stand = try GrantStand {
            $0.policy = .onDemand
            $0.keepAlive = 86_400
        }
        _ = stand.ask(.of(.files))
        stand.derive("F1", for: .files)
        _ = stand.ask(.of(.files))
        #expect(stand.due == 86_400, "to keep the grant alive")
        stand = try GrantStand()
        _ = stand.ask(.of(.files))
        stand.derive("F1", for: .files, life: 1000)
        _ = stand.ask(.of(.files))
        stand.machine.isPaused = true
        #expect(stand.due == nil)
        stand.machine.isPaused = false
        _ = stand.ask(.fresh)
        stand.fail()
        #expect(stand.due != 800)
    }

    @Test func `sixteen are remembered, and the one that was used longest ago goes`() throws {
        var stand = try GrantStand()
        let variants = (0...16).map { TokenVariant(audience: "api-\($0)") }
        for (number, variant) in variants.dropLast().enumerated() {
            #expect(stand.ask(.of(variant)) == .wait)
            stand.derive("T\(number)", for: variant)
        }
        #expect(stand.ask(.of(variants[0])) == .held("T0"), "now `api-1` is the one")
        #expect(stand.ask(.of(variants[16])) == .wait)
        stand.derive("T16", for: variants[16])
        #expect(stand.ask(.of(variants[0])) == .held("T0"))
        #expect(stand.ask(.of(variants[16])) == .held("T16"))
        #expect(stand.ask(.of(variants[1])) == .wait)
    }
}
