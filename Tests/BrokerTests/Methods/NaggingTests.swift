// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// How often a program can have a user asked, and whose sign-in it cannot end.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct NaggingTests {
    private static let interactive: JSONObject = ["interactive": true]

    private static func challenge(_ value: String = "gold") -> JSONObject {
        let challenge = "Bearer error=\"insufficient_user_authentication\", acr_values=\"\(value)\""
        return ["interactive": true, "challenge": .string(challenge)]
    }

    /// Waits until so many tabs have been opened.
    @LoopActor private func tabs(_ count: Int, _ stand: LoginStand) async {
        while stand.world.browser.opened.count < count { await stand.client.arrive() }
    }

    @Test @LoopActor func `a program's challenge replaces no sign-in of the person's, and opens no tab beside it`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let own = try await stand.start(["scope": "mail files"])
        for number in 0..<60 {
            let error = try #require(await stand.client.call(.tokenGet, Self.challenge("gold\(number)")).error)
            #expect(error.kind == .loginPending && error.data["login_id"] == .string(own.id))
        }
        #expect(own.listener.isOpen && stand.world.browser.opened.isEmpty)
        #expect(try stand.world.account().login?.id == own.id)
    }

    enum End: CaseIterable {
        case denied, late, cancelled, replaced
    }

    @Test(arguments: End.allCases)
    @LoopActor func `after an end that is no success no tab opens for a program, and one does for a person`(end: End)
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        let waiting = stand.client.send(.tokenGet, ["interactive": true, "timeout": 1000])
        await tabs(1, stand)
        let login = try #require(try stand.world.account().login)
        switch end {
        case .denied:
            let answer = LoginStand.Started(
                id: login.id,
                query: [:],
                url: try #require(login.start?.authorizationURL),
                redirectURI: login.start?.redirectURI ?? "",
                startURL: "",
                opened: stand.world.redirects.opened.last
            )
            let state = answer.url.queryParameters?["state"] ?? ""
            _ = await stand.browse(answer, ["error": "access_denied", "state": state]).value
        case .late: await stand.clock.advance(by: .seconds(300))
        case .cancelled: _ = await stand.client.call(.loginCancel, ["login_id": .string(login.id)])
        case .replaced:
            let newer = try await stand.start(["prompt": "login"])
            _ = await stand.client.call(.loginCancel, ["login_id": .string(newer.id)])
        }
        #expect(await stand.client.reply(to: waiting).error != nil)
        for params in [Self.interactive, Self.challenge()] {
            for _ in 0..<20 { #expect(await stand.client.call(.tokenGet, params).kind == .loginRequired) }
        }
        #expect(stand.world.browser.opened.count == 1)
        // The user's own word is not held back, and what comes of it ends the pause.
        _ = try await stand.client.call(.loginStart, ["account": "work", "open_browser": true]).get()
        await tabs(2, stand)
        try await stand.signIn(["prompt": "login"])
        #expect(try stand.world.account().mayAskUser())
    }

    @Test @LoopActor func `a provider that lets a challenge through unseen makes no row of tabs`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let waiting = stand.client.send(.tokenGet, Self.challenge())
        await tabs(1, stand)
        let login = try await stand.start(["acr_values": "gold"])
        let page = stand.bringCode(login)
        await stand.transport.next().answer(try stand.tokens(login, refresh: "R2", claims: ["acr": "gold"]))
        _ = await page.value
        #expect(await stand.client.reply(to: waiting).value != nil)
        for number in 0..<20 {
            #expect(await stand.client.call(.tokenGet, Self.challenge("gold\(number)")).kind == .loginRequired)
        }
        #expect(stand.world.browser.opened.count == 1)
        await stand.clock.advance(by: .seconds(301))
        _ = stand.client.send(.tokenGet, Self.challenge("silver"))
        await tabs(2, stand)
    }

    @Test(arguments: [StoreError.Code.dismissed, .locked])
    @LoopActor func `a store's prompt that came to nothing keeps the next one away, for all accounts`(
        code: StoreError.Code
    ) async throws {
        let stand = try await LoginStand([.openID(), .openID("home")])
        defer { stand.end() }
        stand.store.fault = MemoryCredentialStore.locked
        await stand.world.restart()
        let methods = try MethodStand(stand.world)
        defer { methods.end() }
        stand.store.unlockFault = StoreError(code: code, message: "the prompt was closed")
        let client = try methods.client()
        for _ in 0..<20 {
            for account in ["work", "home"] {
                let params: JSONObject = ["account": .string(account), "interactive": true]
                let error = await client.call(.tokenGet, params).error
                #expect(error?.kind == .storeLocked)
            }
        }
        #expect(stand.store.calls[.unlock] == 1)
        let error = await client.call(.tokenGet, ["account": "work", "interactive": true]).error
        #expect(error?.message.contains("tokenctl unlock") == true)
        // A user's own word raises one each time.
        for _ in 0..<2 { #expect(await client.call(.storeUnlock).kind == .storeLocked) }
        #expect(stand.store.calls[.unlock] == 3)
        await stand.clock.advance(by: .seconds(301))
        _ = await client.call(.tokenGet, ["account": "home", "interactive": true])
        #expect(stand.store.calls[.unlock] == 4)
    }

    @Test @LoopActor func `a store that is not there yet is asked again in a moment`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let prompt = StorePrompt(store: stand.world.broker.store, clock: stand.clock)
        stand.store.unlockFault = MemoryCredentialStore.unavailable
        for _ in 0..<3 {
            await #expect(throws: StoreError.self) { try await prompt.unlock(timeout: .seconds(60), by: .program) }
        }
        #expect(stand.store.calls[.unlock] == 1)
        stand.store.unlockFault = nil
        await stand.clock.advance(by: .seconds(11))
        try await prompt.unlock(timeout: .seconds(60), by: .program)
    }
}
