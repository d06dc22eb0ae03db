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

/// The redirects without a listener (RFC 8252, sections 7.1 and 7.2), the start page, and what they bring.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LoginWaysHomeTests {
    @LoopActor private func stand(_ redirects: String...) async throws -> LoginStand {
        var account = try AccountConfiguration.openID()
        account.file = "/c/work.json5"
        account.redirects = try redirects.map { try RedirectURI($0) }
        return try await LoginStand([account])
    }

    /// What `login.start` says, and what the URL's query is; no listener is looked for.
    @LoopActor private func begin(
        _ stand: LoginStand,
        _ more: JSONObject = [:]
    ) async throws -> (result: LoginStart.Result, query: FormParameters) {
        var params: JSONObject = ["account": "work"]
        for member in more { params[member.name] = member.value }
        let result = try LoginStart.Result(json: try await stand.client.call(.loginStart, params).get())
        let query = try #require(try WebURL(result.authorizationURL ?? "").queryParameters)
        return (result, query)
    }

    @LoopActor private func tokens(_ stand: LoginStand, _ query: FormParameters) throws -> HTTPResponse {
        .token("A1", refresh: "R1", ["id_token": .string(try stand.provider.idToken(nonce: query["nonce"]))])
    }

    @Test(arguments: ["com.example.app:/cb", "com.example.app:/cb?own=1", "https://app.example/cb"])
    @LoopActor func `an answer that the caller brings home ends the login like any other (8252-2, 8252-3, 6749-7)`(
        text: String
    ) async throws {
        let stand = try await stand(text)
        defer { stand.end() }
        let (start, query) = try await begin(stand, ["completes": true])
        #expect(start.redirectURI == text && query["redirect_uri"] == text && start.startURL == nil)
        #expect(stand.world.redirects.opened.isEmpty)
        let state = "state=" + (query["state"] ?? "")
        let home = text + (text.contains("?") ? "&" : "?") + "code=C1&" + state
        let wrong = [
            home.replacing("/cb", with: "/other"), home.replacing("example", with: "evil"), "x" + home,
            home.replacing(state, with: "state=x"), home.replacing("code=C1&", with: ""), home + "&" + state,
        ]
        for url in wrong {
            #expect(await stand.client.call(.loginComplete, ["url": .string(url)]).kind == .loginUnknown, "\(url)")
        }
        #expect(stand.exchanges.isEmpty)
        let id = stand.client.send(.loginComplete, ["url": .string(home)])
        let exchange = await stand.transport.next()
        #expect(exchange.form["redirect_uri"] == text && exchange.form["code"] == "C1")
        exchange.answer(try tokens(stand, query))
        #expect(try await stand.client.reply(to: id).get()["subject"] == "alice")
    }

    @Test @LoopActor func `a scheme is a way home once something here opens it (8252-2)`() async throws {
        let stand = try await stand("com.example.app:/cb")
        defer { stand.end() }
        let calls = stand.store.calls
        let error = await stand.client.call(.loginStart, ["account": "work"]).error
        #expect(error?.kind == .configInvalid && error?.data["scheme"] == "com.example.app")
        #expect(error?.data["file"] == "/c/work.json5" && error?.data["member"] == "redirect_uri")
        #expect(error?.message.contains("“com.example.app:/cb”") == true)
        #expect(error?.message.contains("tokenctl callback --install com.example.app") == true)
        #expect(stand.transport.requests.isEmpty && stand.store.calls == calls)
        stand.world.handlers.schemes = ["com.example.app"]
        let (start, query) = try await begin(stand)
        #expect(start.redirectURI == "com.example.app:/cb")
        let home = "com.example.app:/cb?error=access_denied&state=" + (query["state"] ?? "")
        let denied = await stand.client.call(.loginComplete, ["url": .string(home)])
        #expect(denied.error?.data["oauth_error"] == "access_denied")
    }

    @Test @LoopActor func `a claimed https URL does not come back by itself, and is refused at once (8252-3)`()
        async throws
    {
        let stand = try await stand("https://app.example/cb")
        defer { stand.end() }
        let reply = await stand.client.call(.loginStart, ["account": "work", "open_browser": true])
        #expect(reply.kind == .configInvalid)
        #expect(reply.error?.message.contains("tokenctl login work --paste") == true)
        #expect(reply.error?.message.contains("“https://app.example/cb”") == true)
        let named = await stand.client.call(
            .loginStart,
            ["account": "work", "redirect_uri": "com.example.app:/cb"]
        )
        #expect(named.kind == .invalidParams && named.error?.data["scheme"] == "com.example.app")
        #expect(stand.transport.requests.isEmpty && stand.world.browser.opened.isEmpty)
    }

    @Test @LoopActor func `of a list the first that comes back is used`() async throws {
        let stand = try await stand("https://app.example/cb", "com.example.app:/cb", "http://127.0.0.1:8123/cb")
        defer { stand.end() }
        #expect(try await begin(stand).result.redirectURI == "http://127.0.0.1:8123/cb")
        stand.world.handlers.schemes = ["com.example.app"]
        #expect(try await begin(stand, ["prompt": "login"]).result.redirectURI == "com.example.app:/cb")
        #expect(try await begin(stand, ["completes": true]).result.redirectURI == "https://app.example/cb")
        let last = try #require(stand.world.redirects.opened.last)
        #expect(!last.isOpen)
    }

    @Test @LoopActor func `a port that is taken leads to the scheme behind it (D9)`() async throws {
        let stand = try await stand("http://127.0.0.1:8123/cb", "com.example.app:/cb")
        defer { stand.end() }
        stand.world.handlers.schemes = ["com.example.app"]
        stand.world.redirects.taken = [8123]
        #expect(try await begin(stand).result.redirectURI == "com.example.app:/cb")
    }

    @Test @LoopActor func `the start page leads to the provider, and the daemon's browser gets it`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let (start, _) = try await begin(stand, ["open_browser": true])
        let url = try WebURL(try #require(start.startURL))
        #expect(url.origin == "http://127.0.0.1:40000" && url.path.hasPrefix("/s/") && url.path.utf8.count == 25)
        let listener = try #require(stand.world.redirects.opened.last)
        let request = RedirectRequest(method: .get, path: url.path, query: nil, headers: ["Host": "127.0.0.1:40000"])
        for _ in 0..<2 {
            guard case .leadOn(let page) = await listener.receive(request) else {
                Issue.record("no way on")
                continue
            }
            #expect(page.text == start.authorizationURL)
        }
        await stand.world.browser.opening(1)
        #expect(stand.world.browser.opened.map(\.text) == [start.startURL])
        let status = try await stand.client.call(.status, [:]).get()
        #expect(!"\(status)".contains(url.path))
    }

    @Test @LoopActor func `metadata of the redirect and of the caller stays with the grant`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let url = JSONValue.string(
            login.redirectURI + "?code=C1&realmId=42&location=eu&state=" + login.state
        )
        let check = try await stand.client.call(.loginCheck, ["login_id": .string(login.id), "url": url]).get()
        #expect(check == ["redirect": true, "metadata": ["realmId": "42", "location": "eu"]])
        let tooMuch: JSONObject = ["url": url, "metadata": ["x": .string(String(repeating: "v", count: 8192))]]
        let refused = await stand.client.call(.loginComplete, tooMuch)
        #expect(refused.kind == .invalidParams && refused.error?.data["member"] == "metadata")
        let nameless = await stand.client.call(.loginComplete, ["url": url, "metadata": ["a b": 1]])
        #expect(nameless.kind == .invalidParams)
        let added: JSONObject = ["location": "us", "window": ["n": 1]]
        let id = stand.client.send(.loginComplete, ["url": url, "metadata": .object(added)])
        await stand.transport.next().answer(try stand.tokens(login))
        let kept: JSONValue = ["realmId": "42", "location": "us", "window": ["n": 1]]
        #expect(try await stand.client.reply(to: id).get()["metadata"] == kept)
        #expect(try await stand.client.call(.tokenGet, ["account": "work"]).get()["metadata"] == kept)
        #expect(try await stand.wait(login).get()["metadata"] == kept)
        let stored = try GrantRecord.read(try #require(stand.store.kept["work"]), at: stand.clock.now)
        #expect(stored.metadata?.members == kept.object)
        try await stand.signIn(["force": true])
        #expect(try await stand.client.call(.tokenGet, ["account": "work"]).get()["metadata"] == nil)
    }
}
