// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// The one request that a code is good for, and what becomes of a grant that is not kept.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct CodeExchangeTests {
    @Test @LoopActor func `the code is sent with its verifier, and nothing else of the login (6749-5, 7636-3)`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        _ = stand.bringCode(login)
        let exchange = await stand.transport.next()
        #expect(exchange.request.method == .post && exchange.request.url.text == "https://idp.example/token")
        #expect(exchange.form["code"] == "C1" && exchange.form["client_id"] == "app")
        #expect(exchange.form["code_verifier"]?.utf8.count == 43 && exchange.form["state"] == nil)
        #expect(exchange.form["redirect_uri"] == login.redirectURI && exchange.request.headers["Authorization"] == nil)
    }

    @Test(arguments: [
        Lost.error(.interrupted), .error(.timeout), .error(.resolve), .status(500), .status(503), .page, .status(429),
    ])
    @LoopActor func `a code whose answer is lost is never sent again (6749-8)`(lost: Lost) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let coming = stand.bringCode(login)
        let exchange = await stand.transport.next()
        switch lost {
        case .error(let code): exchange.fail(code, mayHaveBeenSent: code != .resolve)
        case .status(let status): exchange.answer(.page(status: status))
        case .page: exchange.answer(.page(status: 200))
        }
        let answer = await coming.value
        #expect(await stand.wait(login).kind == .providerUnreachable)
        #expect(await stand.bringCode(login).value == answer)
        guard case .failed? = await stand.page(after: answer, of: login) else {
            Issue.record("The page does not say that it failed.")
            return
        }
        await stand.clock.advance(by: .seconds(60))
        #expect(stand.exchanges.count == 1 && stand.store.written.isEmpty)
    }

    enum Lost: Sendable {
        case error(TransportError.Code)
        case status(Int)
        case page
    }

    @Test(arguments: [
        ("invalid_grant", ErrorKind.loginFailed), ("invalid_client", .providerError), ("invalid_scope", .providerError),
        ("temporarily_unavailable", .providerUnreachable), ("odd_error", .loginFailed),
    ])
    @LoopActor func `an error of the token endpoint ends the login with its code`(
        code: String,
        kind: ErrorKind
    ) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let coming = stand.bringCode(login)
        stand.transport.next(answer: .oauthError(code))
        _ = await coming.value
        let error = await stand.wait(login).error
        #expect(error?.kind == kind)
        if kind != .providerUnreachable { #expect(error?.data["oauth_error"]?.string == code) }
    }

    @Test @LoopActor func `where the store refuses, page and error say so and the fresh tokens are revoked`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        stand.store.faults[.write] = [MemoryCredentialStore.locked]
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login))
        let answer = await coming.value
        let error = await stand.wait(login).error
        #expect(error?.kind == .storeLocked && error?.message.contains("locked") == true)
        guard case .failed(account: "work", let reason, let next, _)? = await stand.page(after: answer, of: login)
        else {
            Issue.record("The page does not say that it failed.")
            return
        }
        #expect(reason.contains("locked") && next.contains("keyring"))
        await settle()
        #expect(stand.revoked == ["R1", "A1"])
        #expect(await stand.client.call(.tokenGet).kind == .loginRequired)
        let known = stand.transport.posts.filter { $0.url.path == "/revoke" }.map(\.form)
        #expect(known.map { $0["token_type_hint"] } == ["refresh_token", "access_token"])
        #expect(known.allSatisfy { $0["client_id"] == "app" })
    }

    @Test(arguments: [true, false])
    @LoopActor func `a grant that comes too late is revoked, not kept`(isCancelled: Bool) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let coming = stand.bringCode(login)
        let exchange = await stand.transport.next()
        if isCancelled {
            _ = await stand.client.call(.loginCancel, ["login_id": .string(login.id)])
        } else {
            await stand.clock.advance(by: .seconds(300))
        }
        let answer = await coming.value
        #expect(await stand.wait(login).kind == (isCancelled ? .cancelled : .timeout))
        guard case .failed? = await stand.page(after: answer, of: login) else {
            Issue.record("The page does not say that it failed.")
            return
        }
        exchange.answer(try stand.tokens(login))
        await settle()
        #expect(stand.revoked == ["R1", "A1"] && stand.store.written.isEmpty)
        #expect(await stand.client.call(.tokenGet).kind == .loginRequired)
    }

    @Test @LoopActor func `a token that may not be served is not kept, and its refresh token is revoked`() async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        _ = stand.bringCode(login)
        stand.transport.next(answer: .token("A1", refresh: "R1", ["token_type": "mac"]))
        #expect(await stand.wait(login).kind == .providerError)
        await settle()
        #expect(stand.revoked == ["R1"] && stand.store.written.isEmpty)
    }

    @Test @LoopActor func `a logout while the grant is being stored leaves nothing of it`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let coming = stand.bringCode(login)
        stand.store.held = [.write]
        stand.transport.next(answer: try stand.tokens(login))
        await stand.store.holding()
        let other = try stand.methods.client()
        _ = await other.call(.logout, ["account": "work"])
        stand.store.release()
        _ = await coming.value
        #expect(await stand.wait(login).kind == .cancelled)
        await settle()
        #expect(stand.store.kept.isEmpty && stand.revoked == ["R1", "A1"])
        #expect(await stand.client.call(.tokenGet).kind == .loginRequired)
    }

    @Test @LoopActor func `a login cannot be cancelled any more while its grant is being stored`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let coming = stand.bringCode(login)
        stand.store.held = [.write]
        stand.transport.next(answer: try stand.tokens(login))
        await stand.store.holding()
        _ = await stand.client.call(.loginCancel, ["login_id": .string(login.id)])
        await stand.clock.advance(by: .seconds(600))
        stand.store.release()
        _ = await coming.value
        #expect(await stand.wait(login).kind == nil)
        #expect(stand.store.member("refresh_token") == "R1")
    }

    @Test @LoopActor func `a login that brings no refresh token waits for the one that is on its way`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let other = try stand.methods.client()
        _ = other.send(.tokenGet, ["fresh": true])
        let refresh = await stand.transport.next()
        let login = try await stand.start()
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login, refresh: nil))
        await settle()
        refresh.answer(.token("A2", refresh: "R2"))
        _ = await coming.value
        #expect(await stand.wait(login).value?["renewable"] == true)
        #expect(stand.store.member("refresh_token") == "R2" && stand.store.member("pending") == nil)
        #expect(stand.revoked.isEmpty)
    }

    @Test @LoopActor func `a refresh that was sent before does not write the old grant over the new one`() async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let other = try stand.methods.client()
        _ = other.send(.tokenGet, ["fresh": true])
        let refresh = await stand.transport.next()
        #expect(refresh.form["refresh_token"] == "R1")
        let login = try await stand.start()
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login, refresh: "R10"))
        await settle()
        refresh.answer(.token("A2", refresh: "R2"))
        _ = await coming.value
        #expect(stand.store.member("refresh_token") == "R10")
        await settle()
        #expect(stand.store.member("refresh_token") == "R10")
    }
}
