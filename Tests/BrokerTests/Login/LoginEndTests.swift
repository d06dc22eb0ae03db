// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// How a login ends, and who is told.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LoginEndTests {
    @Test @LoopActor func `the grant is stored before the page says so (D4)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        stand.store.held = [.write]
        let coming = stand.bringCode(login)
        let waiting = stand.client.send(.loginWait, ["login_id": .string(login.id)])
        stand.transport.next(answer: try stand.tokens(login))
        await stand.store.holding()
        // The write has begun and has not ended: nobody is told anything yet.
        let second = stand.bringCode(login)
        #expect(await stand.browse(login, path: "/done/none").value == .refused(status: 404))
        #expect(await stand.client.hasReply(to: waiting) == false)
        #expect(stand.store.kept.isEmpty)
        stand.store.release()
        let answer = await coming.value
        #expect(stand.store.member("refresh_token") == "R1")
        #expect(await second.value == answer)
        let page = RedirectAnswer.signedIn(account: "work", identity: "alice@idp.example", provider: "idp.example")
        #expect(await stand.page(after: answer, of: login) == page)
        let result = try await stand.client.reply(to: waiting).get()
        #expect(result["account"] == "work" && result["subject"] == "alice" && result["renewable"] == true)
        #expect(result["identity"] == "alice@idp.example" && result["scope"] == "openid mail")
        #expect(result["expires_at"]?.int64 == stand.clock.now.wall + 3600)
        #expect(try await stand.client.call(.tokenGet).get()["access_token"] == "A1")
    }

    @Test @LoopActor func `in whatever moment of its beginning a login is cancelled, no port stays open`() async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        var hadPort: Set<Bool> = []
        for rounds in 0..<128 {
            let count = stand.world.redirects.opened.count
            stand.transport.documents = [:]
            let starting = stand.client.send(.loginStart, ["account": "work"])
            let discovery = await stand.transport.next()
            let login = try #require(try stand.world.account().login)
            try stand.provider.publishAgain(answering: discovery)
            for _ in 0..<rounds { await Task.yield() }
            hadPort.insert(stand.world.redirects.opened.count > count)
            login.cancel("that is enough")
            await settle()
            #expect(stand.world.redirects.opened.allSatisfy { !$0.isOpen }, "after \(rounds) rounds")
            _ = await stand.client.reply(to: starting)
        }
        #expect(hadPort == [true, false])
    }

    @Test @LoopActor func `the port closes once the last page is fetched, or five seconds later (8252-7)`() async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        for isFetched in [true, false] {
            let login = try await stand.start()
            let coming = stand.bringCode(login)
            stand.transport.next(answer: try stand.tokens(login))
            let answer = await coming.value
            #expect(login.listener.isOpen)
            if isFetched {
                _ = await stand.page(after: answer, of: login)
            } else {
                await stand.clock.advance(by: .milliseconds(4900))
                #expect(login.listener.isOpen)
                await stand.clock.advance(by: .milliseconds(100))
            }
            #expect(!login.listener.isOpen)
        }
    }

    @Test @LoopActor func `any number of clients may wait, also for 60 s after the end`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let others = try (0..<5).map { _ in try stand.methods.client() }
        let waits = others.map { ($0, $0.send(.loginWait, ["login_id": .string(login.id)])) }
        for other in others { await other.arrive() }
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login))
        _ = await coming.value
        let first = try await stand.wait(login).get()
        for (other, id) in waits { #expect(try await other.reply(to: id).get() == first) }
        // Another login in between takes nothing from those who wait for this one.
        _ = try await stand.start()
        _ = try await stand.start(["force": true])
        await stand.clock.advance(by: .seconds(60))
        #expect(try await stand.wait(login).get() == first)
        await stand.clock.advance(by: .seconds(1))
        #expect(await stand.wait(login).kind == .loginUnknown)
    }

    @Test @LoopActor func `a login that nobody finishes ends at its time (D6)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start(["timeout": 30])
        let waiting = stand.client.send(.loginWait, ["login_id": .string(login.id)])
        await stand.client.arrive()
        await stand.clock.advance(by: .seconds(29))
        #expect(await stand.client.hasReply(to: waiting) == false)
        await stand.clock.advance(by: .seconds(1))
        let error = await stand.client.reply(to: waiting).error
        #expect(error?.kind == .timeout && error?.message.contains("tokenctl login work") == true)
        #expect(!login.listener.isOpen)
        #expect(await stand.client.call(.tokenGet).kind == .loginRequired)
    }

    @Test @LoopActor func `a wait has a time of its own, and the login goes on`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let waiting = stand.client.send(.loginWait, ["login_id": .string(login.id), "timeout": 10])
        await stand.client.arrive()
        await stand.clock.advance(by: .seconds(11))
        #expect(await stand.client.reply(to: waiting).kind == .timeout)
        #expect(login.listener.isOpen)
    }

    @Test @LoopActor func `a login is cancelled at once`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let waiting = stand.client.send(.loginWait, ["login_id": .string(login.id)])
        #expect(try await stand.client.call(.loginCancel, ["login_id": .string(login.id)]).get().isEmpty)
        #expect(await stand.client.reply(to: waiting).kind == .cancelled)
        #expect(!login.listener.isOpen)
        #expect(await stand.client.call(.loginCancel, ["login_id": "other"]).kind == .loginUnknown)
    }

    @Test @LoopActor func `a client that leaves ends its waits and not the login`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let other = try stand.methods.client()
        let login = try await stand.start(by: other)
        _ = other.send(.loginWait, ["login_id": .string(login.id)])
        await other.arrive()
        other.leave()
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login))
        _ = await coming.value
        #expect(await stand.wait(login).kind == nil)
    }

    @Test(arguments: [("access_denied", true), ("login_required", false), ("server_error", false)])
    @LoopActor func `a refusal ends the login at once, and no code is sent (D5, OIDC-14)`(
        code: String,
        isDenial: Bool
    ) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let query: FormParameters = ["error": code, "error_description": "<b>no\u{1B}[1m", "state": login.state]
        let answer = await stand.browse(login, query).value
        let error = await stand.wait(login).error
        #expect(error?.kind == .loginFailed && error?.data["oauth_error"]?.string == code)
        #expect(error?.message.contains("\u{1B}") == false)
        #expect(stand.exchanges.isEmpty && stand.store.written.isEmpty)
        switch await stand.page(after: answer, of: login) {
        case .denied: #expect(isDenial)
        case .failed(account: "work", let reason, _, let command):
            #expect(!isDenial && !reason.contains("\u{1B}") && command == "tokenctl login work")
        default: Issue.record("There is no last page.")
        }
    }

    @Test(arguments: [["iss": "https://evil.example"], [:]] as [FormParameters])
    @LoopActor func `an answer from another issuer ends the login before its code is sent (9207-1, 9207-2)`(
        more: FormParameters
    ) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.provider.publish(["authorization_response_iss_parameter_supported": true])
        let login = try await stand.start()
        var query: FormParameters = ["code": "C1", "state": login.state]
        for element in more { query.append(element.name, element.secret) }
        _ = await stand.browse(login, query).value
        let error = await stand.wait(login).error
        #expect(error?.kind == .loginFailed && error?.data["check"]?.string == "iss")
        #expect(stand.exchanges.isEmpty)
    }

    @Test @LoopActor func `what strangers send ends nothing (F)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        #expect(await stand.browse(login, path: "/favicon.ico").value == .refused(status: 404))
        #expect(await stand.browse(login, ["code": "evil", "state": "x"]).value == .refused(status: 400))
        #expect(await stand.browse(login, ["error": "access_denied"]).value == .refused(status: 400))
        #expect(login.listener.isOpen && stand.exchanges.isEmpty)
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login))
        _ = await coming.value
        #expect(await stand.wait(login).kind == nil)
        #expect(stand.exchanges.count == 1)
    }
}
