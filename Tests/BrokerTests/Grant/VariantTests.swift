// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

extension TokenVariant {
    static let calendar = TokenVariant(resources: ["https://calendar.example"])
    static let files = TokenVariant(audience: "files")
    static let read = TokenVariant(scope: ["mail.read"])
}

extension TokenDemand {
    static func of(_ variant: TokenVariant?, minValid: Int64? = nil) -> TokenDemand {
        TokenDemand(minValid: minValid, variant: variant)
    }
}

/// Tokens that are not the account's own, by values.
@Suite(.timeLimit(.minutes(1))) struct VariantTests {
    /// A grant of two scopes with the token `A1`.
    private func stand(_ change: (inout RefreshSettings) -> Void = { _ in }) throws -> GrantStand {
        var stand = try GrantStand(change)
        var record = try #require(stand.machine.record)
        record.scope = ["mail", "mail.read"]
        record.token?.scope = ["mail", "mail.read"]
        _ = stand.machine.signedIn(record, at: stand.now, random: 0)
        return stand
    }

    // MARK: Which one

    @Test func `the same in another order is the same combination, any other is another (8707-1)`() throws {
        let one = TokenVariant(scope: Scope("a b"), resources: ["urn:a", "urn:b"], audience: "x")
        #expect(one == TokenVariant(scope: Scope("b a"), resources: ["urn:b", "urn:a", "urn:b"], audience: "x"))
        #expect(one != TokenVariant(scope: Scope("a"), resources: ["urn:a", "urn:b"], audience: "x"))
        #expect(one != TokenVariant(scope: nil, resources: ["urn:a", "urn:b"], audience: "x"))
        #expect(one != TokenVariant(scope: Scope("a b"), resources: ["urn:a"], audience: "x"))
        #expect(one != TokenVariant(scope: Scope("a b"), resources: ["urn:a", "urn:b"], audience: nil))
        #expect(TokenVariant(audience: "\u{E9}") != TokenVariant(audience: "e\u{301}"), "byte for byte")
    }

    @Test func `what the account's file says is the account's own token, and either name takes the place of both`()
        throws
    {
        var account = try AccountConfiguration.plain()
        account.resource = ["https://a.example", "https://b.example"]
        account.audience = "main"
        func variant(_ scope: Scope? = nil, _ resources: [String]? = nil, _ audience: String? = nil) -> TokenVariant? {
            TokenVariant(scope: scope, resources: resources, audience: audience, besides: account)
        }
        #expect(variant() == nil)
        #expect(variant(nil, ["https://b.example", "https://a.example"], "main") == nil)
        #expect(variant(["mail"])?.resources == account.resource && variant(["mail"])?.audience == "main")
        #expect(variant(nil, ["https://a.example"]) == TokenVariant(resources: ["https://a.example"]))
        #expect(variant(nil, nil, "main") == TokenVariant(audience: "main"))
    }

    // MARK: Serving

    @Test func `each combination costs one refresh and is then at hand, beside the account's own`() throws {
        var stand = try stand()
        for (variant, token) in [(TokenVariant.calendar, "C1"), (.files, "F1"), (.read, "M1")] {
            #expect(stand.ask(.of(variant)) == .wait)
            #expect(stand.actions == [.refresh(try #require(stand.machine.record), for: variant)])
            stand.derive(token, for: variant)
            #expect(stand.actions == [.resumeWaiters(renewed: true, of: variant)])
            #expect(stand.settle(.of(variant), renewed: true, of: variant) == .renewed(token))
        }
        #expect(stand.ask(.of(.calendar)) == .held("C1"))
        #expect(stand.ask(.of(.files)) == .held("F1"))
        #expect(stand.ask(.of(.read)) == .held("M1"))
        #expect(stand.ask() == .held("A1"))
        #expect(stand.actions.isEmpty)
    }

    @Test func `one refresh at a time: who waits for another combination begins his own after it (engine rule 1)`()
        throws
    {
        var stand = try stand()
        #expect(stand.ask(.of(.calendar)) == .wait)
        #expect(stand.ask(.of(.files)) == .wait && stand.actions.isEmpty)
        #expect(stand.ask(.fresh) == .wait && stand.actions.isEmpty)
        #expect(stand.ask() == .held("A1"), "a token that holds waits for nobody (engine rule 2)")
        stand.derive("C1", for: .calendar, refresh: "R2")
        #expect(stand.settle(.of(.calendar), renewed: true, of: .calendar) == .renewed("C1"))
        #expect(stand.settle(.of(.files), renewed: true, of: .calendar) == .wait)
        #expect(stand.actions == [.refresh(try #require(stand.machine.record), for: .files)])
        #expect(stand.machine.record?.refreshToken == Secret("R2"), "the new refresh token is everyone's (6749-17)")
        #expect(stand.settle(.fresh, renewed: true, of: .calendar) == .wait && stand.actions.isEmpty)
        stand.derive("F1", for: .files)
        #expect(stand.settle(.fresh, renewed: true, of: .files) == .wait)
        #expect(stand.actions == [.refresh(try #require(stand.machine.record))])
        stand.renew("A2")
        #expect(stand.settle(.fresh, renewed: true) == .renewed("A2"))
        #expect(stand.ask(.of(.files)) == .held("F1"))
    }

    @Test func `min_valid, rejected and fresh hold for each combination, the gap for all of a grant`() throws {
        var stand = try stand()
        _ = stand.ask(.of(.files))
        stand.derive("F1", for: .files, life: 600)
        #expect(stand.ask(.of(.files, minValid: 600)) == .held("F1"))
        stand.pass(1)
        #expect(stand.ask(.of(.files, minValid: 600)) == .held("F1"), "beyond its whole life: until half has gone")
        var rejected = TokenDemand.rejected("A1")
        rejected.variant = .files
        #expect(stand.ask(rejected) == .held("F1"), "that was another's token")
        rejected.rejected = Secret("F1")
        #expect(stand.ask(rejected) == .wait)
        stand.derive("F2", for: .files)
        #expect(stand.settle(rejected, renewed: true, of: .files) == .renewed("F2"))
        rejected.rejected = Secret("F2")
        #expect(stand.ask(rejected) == .fail(.tokenRejected))
        let fresh = TokenDemand(fresh: true, variant: .files)
        #expect(stand.ask(fresh) == .held("F2"))
        #expect(stand.ask(.fresh) == .held("A1"), "one refresh token brings them all")
        #expect(stand.ask(.personal) == .wait, "a person is not held up")
        stand.renew("A2")
        stand.pass(60)
        #expect(stand.ask(fresh) == .wait)
    }

    @Test func `the account's own token is as it was: its life, its age, its refresh`() throws {
        var stand = try stand()
        let (due, token) = (stand.due, stand.machine.record?.token)
        stand.pass(100)
        _ = stand.ask(.of(.files))
        stand.derive("F1", for: .files, refresh: "R2")
        #expect(stand.machine.record?.token == token)
        #expect(stand.due == due.map { $0 - 100 })
    }

    // MARK: What the grant covers

    @Test func `a narrow token beyond the grant is not asked for (6749-16)`() throws {
        var stand = try stand()
        let wide = TokenVariant(scope: ["mail.read", "files"])
        #expect(stand.ask(.of(wide)) == .fail(.insufficientScope))
        #expect(stand.actions.isEmpty)
        #expect(stand.lastError?.data["granted"] == "mail mail.read")
        #expect(stand.lastError?.data["requested"] == "mail.read files")
    }

    @Test func `a token within a limit serves no wish beyond it (9700-5)`() throws {
        var stand = try stand()
        var demand = TokenDemand.of(.read)
        demand.scope = ["mail"]
        #expect(stand.ask(demand) == .fail(.insufficientScope))
        #expect(stand.lastError?.data["granted"] == "mail.read")
        demand.scope = ["mail.read"]
        #expect(stand.ask(demand) == .wait)
    }

    @Test func `what another resource is given shows in its answer, and its scope is told as it is`() throws {
        var stand = try stand()
        var demand = TokenDemand.of(.calendar)
        demand.scope = ["events"]
        #expect(stand.ask(demand) == .wait)
        stand.derive("C1", for: .calendar, scope: ["events"])
        #expect(stand.settle(demand, renewed: true, of: .calendar) == .renewed("C1"))
        #expect(stand.machine.record?.scope == ["mail", "mail.read"], "the grant's scope is not that token's")
        demand.scope = ["mail"]
        #expect(stand.ask(demand) == .fail(.insufficientScope))
        #expect(stand.lastError?.data["granted"] == "events")
    }

    @Test func `a narrow token that came narrower still is no answer`() throws {
        var stand = try stand()
        let both = TokenVariant(scope: ["mail", "mail.read"])
        #expect(stand.ask(.of(both)) == .wait)
        stand.derive("M1", for: both, scope: ["mail.read"])
        #expect(stand.settle(.of(both), renewed: true, of: both) == .fail(.insufficientScope))
    }
}
