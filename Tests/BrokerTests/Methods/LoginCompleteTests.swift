// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Answers that do not come through the listener (RFC 8252, section 7.2).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LoginCompleteTests {
    private func url(_ login: LoginStand.Started, _ query: String) -> JSONValue {
        .string(login.redirectURI + "?" + query)
    }

    @Test @LoopActor func `a URL that was pasted ends the login like one that came by itself (8252-3)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let id = stand.client.send(.loginComplete, ["url": url(login, "code=C1&state=" + login.state)])
        let exchange = await stand.transport.next()
        #expect(exchange.form["code"] == "C1")
        exchange.answer(try stand.tokens(login))
        #expect(try await stand.client.reply(to: id).get()["subject"] == "alice")
        #expect(!login.listener.isOpen)
        #expect(
            await stand.client.call(.loginComplete, ["url": url(login, "code=C1&state=" + login.state)]).kind
                == .loginUnknown
        )
        #expect(stand.exchanges.count == 1)
    }

    @Test @LoopActor func `twice the same URL sends the code once`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let params: JSONObject = ["url": url(login, "code=C1&state=" + login.state), "login_id": .string(login.id)]
        let ids = [stand.client.send(.loginComplete, params), stand.client.send(.loginComplete, params)]
        // The daemon takes a client's requests in turns: the answer is not to come between the two.
        await stand.client.arrive()
        stand.transport.next(answer: try stand.tokens(login))
        for id in ids { #expect(await stand.client.reply(to: id).kind == nil) }
        #expect(stand.exchanges.count == 1)
    }

    @Test @LoopActor func `what is not the answer of a login under way ends none`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let state = "state=" + login.state
        let wrong: [JSONObject] = [
            ["url": url(login, "code=C1&state=x")], ["url": url(login, "code=C1")], ["url": url(login, state)],
            ["url": url(login, "code=C1&" + state + "&" + state)], ["url": "x"], ["url": ""],
            ["url": .string("http://127.0.0.1:1/callback?code=C1&" + state)],
            ["url": .string("https://evil.example/callback?code=C1&" + state)],
            ["url": .string("http://127.0.0.1:40000/other?code=C1&" + state)],
            ["url": url(login, "code=C1&" + state), "login_id": "other"],
        ]
        for params in wrong {
            let error = await stand.client.call(.loginComplete, params).error
            #expect(error?.kind == .loginUnknown && error?.message.contains("C1") == false)
        }
        #expect(login.listener.isOpen && stand.exchanges.isEmpty)
    }

    @Test @LoopActor func `a denial that is handed in ends the login`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let reply = await stand.client.call(
            .loginComplete,
            ["url": url(login, "error=access_denied&state=" + login.state)]
        )
        #expect(reply.kind == .loginFailed && reply.error?.data["oauth_error"] == "access_denied")
    }

    @Test @LoopActor func `a web view learns whether it has arrived`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let urls: [(String, Bool)] = [
            (login.redirectURI, true), (login.redirectURI + "?code=x&state=y", true), (login.redirectURI + "/x", false),
            ("https://idp.example/authorize", false), ("http://127.0.0.1:40001/callback", false), ("", false),
            (login.redirectURI + "#code=x", true),
        ]
        for (url, isRedirect) in urls {
            let params: JSONObject = ["login_id": .string(login.id), "url": .string(url)]
            #expect(try await stand.client.call(.loginCheck, params).get() == ["redirect": .bool(isRedirect)])
        }
        #expect(await stand.client.call(.loginCheck, ["login_id": "x", "url": "y"]).kind == .loginUnknown)
    }
}
