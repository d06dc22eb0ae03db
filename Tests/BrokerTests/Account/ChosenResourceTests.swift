// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// A provider where scopes choose the resource of a token (`dialect.scopes_choose_resource`).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ChosenResourceTests {
    private static let imap = "https://outlook.office.com/IMAP.AccessAsUser.All"
    private static let read = "https://graph.microsoft.com/Mail.Read"

    private static func account() throws -> AccountConfiguration {
        try BuiltInPresetTests.account(
            "entra",
            set: [:],
            ["scopes": ["openid", "offline_access", .string(read)], "endpoints": ["jwks": "https://idp.example/jwks"]]
        )
    }

    /// Somebody is signed in; the answer's scope was written as the provider writes it.
    @LoopActor private func signedIn(granted: Scope = ["Mail.Read", "User.Read", "openid"]) async throws
        -> (login: LoginStand, account: AccountConfiguration)
    {
        let account = try Self.account()
        let stand = try await LoginStand([account])
        let metadata: JSONObject = [
            "issuer": "https://login.microsoftonline.com/{tenantid}/v2.0",
            "authorization_endpoint": "https://login.microsoftonline.com/authorize",
            "token_endpoint": "https://login.microsoftonline.com/token", "response_types_supported": ["code"],
        ]
        let issuer = try #require(account.issuer)
        stand.transport.documents[try Discovery(issuer: issuer).openIDURLs[0].text] = .json(metadata)
        stand.transport.documents[try Discovery(issuer: issuer).oauthURL.text] = .json([:], status: 404)
        var record = GrantRecord.signedIn(account, at: stand.clock.now)
        record.scope = granted
        record.token?.scope = granted
        stand.store.put(record.item(for: account))
        await stand.world.restart()
        return (stand, account)
    }

    @Test @LoopActor func `a scope of another resource brings that one's token, which may cover more`() async throws {
        let (stand, _) = try await signedIn()
        defer { stand.end() }
        let call = try stand.world.get(try Self.demand(["scope": .string(Self.imap)]))
        let exchange = await stand.transport.next()
        #expect(exchange.form["scope"] == Self.imap && exchange.form["resource"] == nil)
        #expect(exchange.form["refresh_token"] == "R1")
        let wider = Self.imap + " https://outlook.office.com/SMTP.Send"
        exchange.answer(.token("O1", refresh: "R2", ["scope": .string(wider)]))
        #expect(try await call.ended().get().token.scope == Scope(wider))
        // Kept beside the account's own, which is as it was.
        #expect(await (try stand.world.get(try Self.demand(["scope": .string(Self.imap)]))).token() == "O1")
        #expect(await (try stand.world.get()).token() == "A1")
        #expect(stand.store.member("scope") == "Mail.Read User.Read openid")
        // The account's own renewal names its own resource, and no more than was granted.
        let fresh = try stand.world.get(.fresh)
        let own = await stand.transport.next()
        #expect(Scope(own.form["scope"] ?? "") == ["openid", "offline_access", Self.read])
        #expect(own.form["refresh_token"] == "R2")
        own.answer(.token("A2", refresh: "R3", ["scope": "Mail.Read User.Read openid"]))
        #expect(await fresh.token() == "A2")
        #expect(try stand.world.account().statusState == .ready)
    }

    @Test @LoopActor func `what was not consented to is told, and the grant lives on`() async throws {
        let (stand, _) = try await signedIn()
        defer { stand.end() }
        let call = try stand.world.get(try Self.demand(["scope": .string(Self.imap)]))
        await stand.transport.next()
            .answer(
                .json(["error": "invalid_grant", "suberror": "consent_required", "error_codes": [65001]], status: 400)
            )
        #expect(await call.failure()?.kind == .providerError)
        #expect(await (try stand.world.get()).token() == "A1")
        // An answer that lacks the scope is not taken for one that has it.
        let other = try stand.world.get(try Self.demand(["scope": "https://vault.example/Use"]))
        await stand.transport.next().answer(.token("V1", ["scope": "https://vault.example/Look"]))
        #expect(await other.failure()?.kind == .insufficientScope)
    }

    @Test @LoopActor func `a program that is held to a scope never gets the wider token (9700-5)`() async throws {
        let (stand, _) = try await signedIn(granted: ["Mail.Read", Self.imap])
        defer { stand.end() }
        let call = try stand.world.get(try Self.demand(["scope": .string(Self.imap), "narrow": true]))
        await stand.transport.next().answer(.token("O1", ["scope": .string(Self.imap + " SMTP.Send")]))
        #expect(await call.failure()?.message.contains("wider one") == true)
    }

    @Test(
        arguments: [
            (["resource": "https://outlook.office.com"], "resource"), (["audience": "outlook"], "audience"),
            (["scope": .string(imap + " " + read)], "scope"),
        ] as [(JSONObject, String)]
    )
    func `what such a provider has no way for is refused by name`(params: JSONObject, member: String) throws {
        #expect {
            _ = try Self.demand(params)
        } throws: { error in
            (error as? ProtocolError)?.kind == .invalidParams
                && (error as? ProtocolError)?.data["member"] == .string(member)
        }
    }

    @Test func `a scope of the account's own resource is the account's own token`() throws {
        #expect(try Self.demand(["scope": .string(Self.read)]).variant == nil)
        #expect(try Self.demand(["scope": "openid"]).variant == nil && Self.demand([:]).variant == nil)
        #expect(try Self.demand(["scope": .string(Self.imap)]).variant == TokenVariant(choosing: [Self.imap]))
        #expect(TokenVariant(choosing: [Self.imap]) != TokenVariant(scope: [Self.imap]))
    }

    @Test @LoopActor func `the code is traded for the account's own resource, whatever else was consented to`()
        async throws
    {
        let account = try Self.account()
        #expect(
            account.codeScope(of: account.scopes.union([Self.imap])) == ["openid", "offline_access", Self.read]
        )
        #expect(try AccountConfiguration.openID().codeScope(of: ["a"]) == nil)
        #expect(try AccountConfiguration.openID().renewalScope(granted: ["a"]) == nil)
        // One that was added to the file since is not asked for: nobody has consented to it.
        #expect(account.renewalScope(granted: ["User.Read"]) == ["User.Read", "offline_access"])
    }

    private static func demand(_ params: JSONObject) throws -> TokenDemand {
        try TokenDemand(TokenGet.Parameters(params: params), of: account())
    }
}
