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

/// A device login of an account that wants more than a token: a client that is registered, an application's own token,
/// scopes that a server names, a stronger sign-in.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct DeviceJointTests {
    // MARK: A client that is registered

    /// An account without a `client_id`, and a provider that registers.
    @LoopActor private func registering(
        _ redirect: String? = nil,
        offers: JSONObject = ["registration_endpoint": "https://idp.example/register"]
    ) async throws -> DeviceStand {
        var account = try AccountConfiguration.openID()
        account.clientID = ""
        account.registersClient = true
        account.redirects = try redirect.map { [try RedirectURI($0)] } ?? []
        let stand = try await DeviceStand([account])
        var metadata = offers
        metadata["device_authorization_endpoint"] = .string(DeviceStand.endpoint)
        stand.stand.provider.publish(metadata)
        return stand
    }

    /// The registration that is under way, answered.
    @LoopActor private func register(_ stand: DeviceStand, _ answer: JSONObject) async throws -> JSONObject {
        let exchange = await stand.transport.next()
        #expect(exchange.request.url.path == "/register")
        exchange.answer(.json(answer, status: answer["error"] == nil ? 201 : 400))
        return try #require(exchange.request.body?.withUnsafeBytes { try? JSONReader().read($0) }?.object)
    }

    /// A device login up to its codes.
    @LoopActor private func codes(_ stand: DeviceStand, registered answer: JSONObject?) async throws -> (
        asked: JSONObject, id: String, codes: HTTPRequest
    ) {
        let reply = stand.stand.client.send(.loginStart, ["account": "work", "flow": "device"])
        let asked = try await answer.asyncMap { try await register(stand, $0) }
        let exchange = await stand.transport.next()
        #expect(exchange.request.url.text == DeviceStand.endpoint)
        exchange.answer(.json(DeviceStand.codes))
        let id = try await stand.stand.client.reply(to: reply).get()["login_id"]?.string
        return (asked ?? [:], id ?? "", exchange.request)
    }

    @LoopActor private func registrations(_ stand: DeviceStand) -> Int {
        stand.transport.posts.count { $0.url.path == "/register" }
    }

    @Test @LoopActor func `a client that is registered for it signs in with a code (7591-1, 8628-1)`() async throws {
        let stand = try await registering()
        defer { stand.end() }
        let (asked, id, request) = try await codes(
            stand,
            registered: [
                "client_id": "reg-1", "client_secret": "given", "token_endpoint_auth_method": "client_secret_post",
            ]
        )
        #expect(asked["grant_types"] == ["authorization_code", "refresh_token", .string(TokenRequest.deviceGrantType)])
        #expect(asked["redirect_uris"] == ["http://127.0.0.1/callback", "http://[::1]/callback"])
        #expect(request.form["client_id"] == "reg-1" && request.form["client_secret"] == "given")
        let poll = try #require(await stand.poll(after: 5))
        #expect(poll.form["client_id"] == "reg-1" && poll.form["client_secret"] == "given")
        poll.answer(try stand.tokens(claims: ["aud": "reg-1"]))
        #expect(try await stand.wait(id).get()["subject"] == "alice")
        #expect(try stand.stand.world.account().status.clientID == "reg-1")
        // The next one is the same client's, also after a restart; a browser's port is another matter.
        await stand.stand.world.restart()
        #expect(try await codes(stand, registered: nil).codes.form["client_id"] == "reg-1")
        let browser = stand.stand.client.send(.loginStart, ["account": "work", "flow": "browser"])
        #expect(try await register(stand, ["client_id": "reg-2"])["grant_types"]?.array?.count == 2)
        let login = try stand.stand.started(await stand.stand.client.reply(to: browser).get())
        #expect(login.query["client_id"] == "reg-2")
        #expect(try await codes(stand, registered: nil).codes.form["client_id"] == "reg-1")
        #expect(registrations(stand) == 2)
    }

    @Test @LoopActor func `one client does for both ways where the port is fixed`() async throws {
        let stand = try await registering("http://localhost:4242/cb")
        defer { stand.end() }
        let (asked, _, _) = try await codes(stand, registered: ["client_id": "reg-1"])
        #expect(asked["redirect_uris"] == ["http://localhost:4242/cb"])
        #expect(try await stand.stand.start(["flow": "browser"]).query["client_id"] == "reg-1")
        #expect(registrations(stand) == 1)
    }

    @Test @LoopActor func `a provider that registers no such client is told of, and no code is shown (7591-3)`()
        async throws
    {
        let stand = try await registering()
        defer { stand.end() }
        let params: JSONObject = ["account": "work", "flow": "device"]
        for (answer, word) in [
            (["client_id": "reg-1", "grant_types": ["authorization_code"]], "grant_types"),
            (["error": "invalid_client_metadata", "error_description": "no devices"], "no devices"),
        ] as [(JSONObject, String)] {
            let reply = stand.stand.client.send(.loginStart, params)
            _ = try await register(stand, answer)
            let error = await stand.stand.client.reply(to: reply).error
            #expect(error?.kind == .providerError && error?.message.contains(word) == true)
        }
        #expect(stand.stand.store.clients.isEmpty)
        let other = try await registering(offers: [:])
        defer { other.end() }
        let error = await other.stand.client.call(.loginStart, params).error
        #expect(error?.kind == .configInvalid && error?.data["member"] == "client_id")
        #expect(stand.transport.posts.allSatisfy { $0.url.path == "/register" } && other.transport.posts.isEmpty)
    }

    @Test @LoopActor func `a client that the provider has forgotten is registered anew at the next code`() async throws
    {
        let stand = try await registering()
        defer { stand.end() }
        _ = try await codes(stand, registered: ["client_id": "reg-1"])
        let refused = stand.stand.client.send(.loginStart, ["account": "work", "flow": "device", "scope": "more"])
        await stand.transport.next().answer(.oauthError("invalid_client", status: 401))
        #expect(await stand.stand.client.reply(to: refused).kind == .providerError)
        #expect(try await codes(stand, registered: ["client_id": "reg-2"]).codes.form["client_id"] == "reg-2")
    }

    // MARK: What else an account may want

    @Test @LoopActor func `the application's own token comes of a device login, too`() async throws {
        var account = try AccountConfiguration.openID()
        account.exchange = ApplicationExchange(url: try WebURL("https://app.example/session"))
        let stand = try await DeviceStand([account])
        defer { stand.end() }
        let id = try await stand.started()
        await stand.poll(after: 5)?.answer(try stand.tokens())
        let exchange = await stand.transport.next()
        #expect(exchange.request.url.text == "https://app.example/session")
        exchange.answer(.json(["token": "S1", "expires_in": 600]))
        #expect(try await stand.wait(id).get()["subject"] == "alice")
        #expect(try await stand.stand.client.call(.tokenGet).get()["access_token"] == "S1")
        #expect(stand.polls == 1)
    }

    @Test @LoopActor func `a backend that refuses ends the device login as it would a browser's`() async throws {
        var account = try AccountConfiguration.openID()
        account.exchange = ApplicationExchange(url: try WebURL("https://app.example/session"))
        let stand = try await DeviceStand([account])
        defer { stand.end() }
        let id = try await stand.started()
        await stand.poll(after: 5)?.answer(try stand.tokens())
        await stand.transport.next().answer(.json(["error": "no seat left"], status: 403))
        let error = await stand.wait(id).error
        #expect(error?.kind == .providerError && error?.message.contains("app.example") == true)
        await settle()
        #expect(stand.stand.store.written.isEmpty && stand.stand.revoked == ["R1", "A1"])
    }

    @Test @LoopActor func `the scopes that the application's server names go into the device request`() async throws {
        var account = try AccountConfiguration.openID()
        account.scopesFrom = try WebURL("https://app.example/scopes.json")
        let stand = try await DeviceStand([account])
        defer { stand.end() }
        stand.transport.documents["https://app.example/scopes.json"] = .json(["scopes": ["calendar"]])
        _ = try await stand.started()
        #expect(stand.transport.posts[0].form["scope"] == "openid calendar")
    }

    @Test @LoopActor func `how strong and how recent the sign-in is to be is asked for and checked (9470-1, OIDC-7)`()
        async throws
    {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let asked: JSONObject = ["acr_values": "gold", "max_age": 60, "scope": "openid"]
        for (claims, check) in [
            ([:], "acr"), (["acr": "tin"], "acr"), (["acr": "gold"], "auth_time"),
            (["acr": "gold", "auth_time": .integer(HandClock.start.wall - 7200)], "auth_time"),
        ] as [(JSONObject, String)] {
            let id = try await stand.started(asked)
            let form = try #require(stand.transport.posts.last { $0.url.text == DeviceStand.endpoint }?.form)
            #expect(form["acr_values"] == "gold" && form["max_age"] == "60")
            await stand.poll(after: 5)?.answer(try stand.tokens(claims: claims))
            let error = await stand.wait(id).error
            #expect(error?.data["check"]?.string == check)
            await settle()
        }
        #expect(stand.stand.store.written.isEmpty)
        let id = try await stand.started(asked)
        let now = JSONValue.integer(stand.clock.now.wall)
        await stand.poll(after: 5)?.answer(try stand.tokens(claims: ["acr": "gold", "auth_time": now]))
        #expect(await stand.wait(id).kind == nil)
    }
}

extension Optional where Wrapped: Sendable {
    /// The same, where `transform` takes its time.
    @LoopActor fileprivate func asyncMap<Value: Sendable>(
        _ transform: @LoopActor (Wrapped) async throws -> Value
    ) async throws -> Value? {
        guard case .some(let value) = self else { return nil }
        return try await transform(value)
    }
}
