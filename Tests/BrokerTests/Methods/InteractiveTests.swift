// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// `token.get` with `interactive`: the user is asked, once, and waited for.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct InteractiveTests {
    private static let params: JSONObject = ["interactive": true]

    /// The login that was begun for somebody who asked for a token.
    @LoopActor private func begun(_ stand: LoginStand) async throws -> LoginStand.Started {
        while stand.world.browser.opened.isEmpty { await stand.client.arrive() }
        guard let login = try stand.world.account().login, let start = login.start else {
            throw ProtocolError(.internalError, "No login is under way.")
        }
        return try stand.started([
            "login_id": .string(login.id), "flow": "browser", "expires_at": 0,
            "authorization_url": .string(start.authorizationURL?.text ?? ""),
            "redirect_uri": .string(start.redirectURI ?? ""),
        ])
    }

    @Test @LoopActor func `without it no browser opens and no prompt is raised (15, E6)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        for _ in 0..<100 { #expect(await stand.client.call(.tokenGet).kind == .loginRequired) }
        stand.store.fault = MemoryCredentialStore.locked
        #expect(stand.world.browser.opened.isEmpty && stand.store.calls[.unlock] == nil)
    }

    @Test @LoopActor func `one tab opens however many ask, and all get the token`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let clients = try (0..<5).map { _ in try stand.methods.client() }
        let waits = clients.map { ($0, $0.send(.tokenGet, Self.params)) }
        let login = try await begun(stand)
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login))
        _ = await coming.value
        for (client, id) in waits { #expect(try await client.reply(to: id).get()["access_token"] == "A1") }
        #expect(stand.world.browser.opened.count == 1 && stand.exchanges.count == 1)
    }

    @Test @LoopActor func `a login that nobody looked at keeps the next tab away for five minutes (E6)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let waiting = stand.client.send(.tokenGet, ["interactive": true, "timeout": 1000])
        _ = try await begun(stand)
        await stand.clock.advance(by: .seconds(300))
        #expect(await stand.client.reply(to: waiting).kind == .timeout)
        await stand.clock.advance(by: .seconds(299))
        #expect(await stand.client.call(.tokenGet, Self.params).kind == .loginRequired)
        #expect(stand.world.browser.opened.count == 1)
        await stand.clock.advance(by: .seconds(2))
        _ = stand.client.send(.tokenGet, Self.params)
        while stand.world.browser.opened.count < 2 { await stand.client.arrive() }
    }

    @Test @LoopActor func `the time of the request ends the wait and not the login`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let waiting = stand.client.send(.tokenGet, ["interactive": true, "timeout": 10])
        let login = try await begun(stand)
        await stand.clock.advance(by: .seconds(11))
        #expect(await stand.client.reply(to: waiting).kind == .timeout)
        #expect(login.listener.isOpen)
    }

    @Test @LoopActor func `a person who says no is not asked again by the same request`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let waiting = stand.client.send(.tokenGet, Self.params)
        let login = try await begun(stand)
        _ = await stand.browse(login, ["error": "access_denied", "state": login.state]).value
        #expect(await stand.client.reply(to: waiting).kind == .loginFailed)
        #expect(stand.world.browser.opened.count == 1)
    }

    @Test @LoopActor func `a locked store is opened first, with one prompt`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        stand.store.fault = MemoryCredentialStore.locked
        await stand.world.restart()
        let methods = try MethodStand(stand.world)
        defer { methods.end() }
        let clients = try (0..<3).map { _ in try methods.client() }
        #expect(await clients[0].call(.tokenGet).kind == .storeLocked)
        stand.store.held = [.unlock]
        let waits = clients.map { ($0, $0.send(.tokenGet, Self.params)) }
        for client in clients { await client.arrive() }
        await stand.store.holding()
        stand.store.release()
        for (client, id) in waits { #expect(try await client.reply(to: id).get()["access_token"] == "A1") }
        #expect(stand.store.calls[.unlock] == 1 && stand.world.browser.opened.isEmpty)
    }

    @Test @LoopActor func `a store that the person does not open ends the request`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.store.fault = MemoryCredentialStore.locked
        await stand.world.restart()
        let methods = try MethodStand(stand.world)
        defer { methods.end() }
        stand.store.unlockFault = StoreError(code: .dismissed, message: "the prompt was closed")
        let client = try methods.client()
        #expect(await client.call(.tokenGet, Self.params).kind == .storeLocked)
        #expect(stand.store.calls[.unlock] == 1)
    }

    @Test @LoopActor func `an account that is removed while the store is opened is told as such, and nothing hangs`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        stand.store.fault = MemoryCredentialStore.locked
        await stand.world.restart()
        await stand.clock.advance(by: .seconds(7200))
        let methods = try MethodStand(stand.world)
        defer { methods.end() }
        stand.store.held = [.unlock]
        let client = try methods.client()
        let waiting = client.send(.tokenGet, Self.params)
        await stand.store.holding()
        let files = stand.world.files.configuration
        stand.world.reconfigure()
        stand.store.release()
        #expect(await client.reply(to: waiting).kind == .accountUnknown)
        await settle()
        #expect(!stand.world.broker.isRefreshing)
        #expect(stand.world.browser.opened.isEmpty)
        stand.world.files.configuration = files
        stand.world.broker.reload()
        let call = try stand.world.get()
        #expect(await stand.transport.next().form["grant_type"] == "refresh_token")
        _ = call
    }

    @Test @LoopActor func `for a client that has left, no tab opens`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.transport.documents = [:]
        let client = try stand.methods.client()
        _ = client.send(.tokenGet, Self.params)
        let discovery = await stand.transport.next()
        client.leave()
        while stand.methods.server.clientCount > 1 { await stand.client.arrive() }
        try stand.provider.publishAgain(answering: discovery)
        await settle()
        #expect(stand.world.browser.opened.isEmpty)
    }
}
