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

/// A scope that is added to an account where somebody is signed in.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct AddedScopeTests {
    /// The scope of the held token, or the kind of the error.
    @LoopActor private func held(_ stand: LoginStand, _ scope: String? = nil) async -> String? {
        let reply = await stand.client.call(.tokenGet, scope.map { ["scope": .string($0)] } ?? [:])
        return reply.kind?.rawValue ?? reply.value?["access_token"]?.string
    }

    @Test @LoopActor func `what is asked for is added to the configured and the granted ones, and stays (6749-14)`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        #expect(try await stand.signIn().kind == nil)
        #expect(await held(stand, "calendar") == "insufficient_scope")
        let login = try await stand.start(["scope": "calendar mail"])
        #expect(login.query["scope"] == "openid mail calendar")
        let page = stand.bringCode(login)
        let token = try stand.provider.idToken(nonce: login.nonce)
        await stand.transport.next().answer(.token("A2", refresh: "R2", ["id_token": .string(token)]))
        _ = await page.value
        #expect(try await stand.wait(login).get()["scope"] == "openid mail calendar")
        #expect(await held(stand, "calendar") == "A2")
        // A later sign-in asks for it without being told, also after a restart.
        await stand.world.restart()
        let methods = try MethodStand(stand.world)
        defer { methods.end() }
        let later = try await stand.start(by: try methods.client())
        #expect(later.query["scope"] == "openid mail calendar")
    }

    @Test @LoopActor func `what only an answer named, or what has left the file, is not asked for again`() async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start(["scope": "calendar"])
        let page = stand.bringCode(login)
        await stand.transport.next().answer(try stand.tokens(login, ["scope": "openid mail calendar profile legacy"]))
        _ = await page.value
        #expect(try await stand.wait(login).get()["scope"] == "openid mail calendar profile legacy")
        #expect(try await stand.start().query["scope"] == "openid mail calendar")
        var account = try AccountConfiguration.openID()
        account.scopes = ["openid"]
        stand.world.reconfigure(account)
        #expect(try await stand.start().query["scope"] == "openid calendar")
        // A renewal that names more changes nothing of it.
        let call = try stand.world.get(.personal)
        await stand.transport.next().answer(.token("A2", refresh: "R2", ["scope": "openid calendar more"]))
        #expect(await call.token() == "A2")
        await stand.world.restart()
        let methods = try MethodStand(stand.world)
        defer { methods.end() }
        #expect(try await stand.start(by: try methods.client()).query["scope"] == "openid calendar")
    }

    @Test @LoopActor func `what the user added is asked for after the grant's end, too, and not after a logout`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn(["scope": "calendar"])
        let call = try stand.world.get(.personal)
        await stand.transport.next().answer(.oauthError("invalid_grant"))
        #expect(await call.failure()?.kind == .loginRequired)
        #expect(try await stand.start().query["scope"] == "openid mail calendar")
        _ = await stand.client.call(.logout, ["account": "work"])
        #expect(try await stand.start().query["scope"] == "openid mail")
    }

    @Test @LoopActor func `a person who says no keeps what they had`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let login = try await stand.start(["scope": "calendar"])
        _ = await stand.browse(login, ["error": "access_denied", "state": login.state]).value
        #expect(await stand.wait(login).kind == .loginFailed)
        #expect(await held(stand) == "A1" && stand.revoked.isEmpty)
        #expect(try await stand.start().query["scope"] == "openid mail")
    }

    @Test @LoopActor func `a grant that is narrower than asked says so, and what it covers (6749-14)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start(["scope": "calendar"])
        let page = stand.bringCode(login)
        let narrow = try stand.tokens(login, ["scope": "openid mail"])
        await stand.transport.next().answer(narrow)
        _ = await page.value
        #expect(try await stand.wait(login).get()["scope"] == "openid mail")
        let error = await stand.client.call(.tokenGet, ["scope": "mail calendar"]).error
        #expect(error?.kind == .insufficientScope)
        #expect(error?.data["granted"] == "openid mail" && error?.data["requested"] == "mail calendar")
        #expect(error?.message.contains("tokenctl login work --scope") == true)
    }

    @Test @LoopActor func `a refresh asks for no scope (6749-16)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn(["scope": "calendar"])
        stand.transport.next(answer: .token("A2", refresh: "R2"))
        #expect(try await stand.client.call(.tokenGet, ["fresh": true]).get()["scope"] == "openid mail calendar")
        #expect(stand.transport.refreshes.count == 1 && stand.transport.refreshes.first?["scope"] == nil)
    }
}
