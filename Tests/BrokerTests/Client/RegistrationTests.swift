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

/// An account without a `client_id`: the provider registers one at sign-in (RFC 7591).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct RegistrationTests {
    /// A provider that registers clients, and an account that names none.
    @LoopActor private func stand(
        _ change: (inout AccountConfiguration) -> Void = { _ in }
    ) async throws -> LoginStand {
        var account = try AccountConfiguration.openID()
        account.file = "/home/u/.config/tokend/accounts/work.json5"
        account.clientID = ""
        account.registersClient = true
        change(&account)
        let stand = try await LoginStand([account])
        stand.provider.publish(["registration_endpoint": "https://idp.example/register"])
        return stand
    }

    /// Starts a login, answers its registration, and gives what was asked for.
    @LoopActor private func register(
        _ stand: LoginStand,
        _ answer: JSONObject = [:],
        status: Int = 201,
        _ more: JSONObject = [:]
    ) async throws -> (asked: HTTPRequest, metadata: JSONObject, reply: MethodClient.Reply) {
        var params: JSONObject = ["account": "work"]
        for member in more { params[member.name] = member.value }
        let id = stand.client.send(.loginStart, params)
        let exchange = await stand.transport.next()
        let metadata = try #require(exchange.request.body?.withUnsafeBytes { try? JSONReader().read($0) }?.object)
        var members: JSONObject = status == 201 ? ["client_id": "reg-1"] : [:]
        for member in answer { members[member.name] = member.value }
        exchange.answer(.json(members, status: status))
        return (exchange.request, metadata, await stand.client.reply(to: id))
    }

    /// Brings a login to its end.
    @LoopActor private func finish(_ stand: LoginStand, _ reply: MethodClient.Reply, id: String = "reg-1") async throws
        -> MethodClient.Reply
    {
        let login = try stand.started(reply.get())
        let page = stand.bringCode(login)
        await stand.transport.next().answer(try stand.tokens(login, claims: ["aud": .string(id)]))
        _ = await page.value
        return await stand.wait(login)
    }

    @LoopActor private func registrations(_ stand: LoginStand) -> JSONObject? {
        let item = stand.store.clients["work"].flatMap { MemoryCredentialStore.object(of: $0) }
        return item?["registrations"]?.array?.last?.object
    }

    @LoopActor @Test func `it registers as the native, public client that it is, for the port that is open (7591-1)`()
        async throws
    {
        let stand = try await stand()
        defer { stand.end() }
        let (asked, metadata, reply) = try await register(stand)
        #expect(asked.method == .post && asked.url.text == "https://idp.example/register")
        #expect(asked.headers["Content-Type"] == "application/json" && asked.headers["Authorization"] == nil)
        #expect(metadata["token_endpoint_auth_method"] == "none" && metadata["application_type"] == "native")
        #expect(metadata["grant_types"] == ["authorization_code", "refresh_token"])
        #expect(metadata["response_types"] == ["code"] && metadata["scope"] == "openid mail")
        #expect(metadata["software_id"] != nil && metadata["software_version"] != nil)
        let login = try stand.started(reply.get())
        let other = login.redirectURI.replacing("127.0.0.1", with: "[::1]")
        #expect(metadata["redirect_uris"] == [.string(login.redirectURI), .string(other)])
        #expect(login.query["client_id"] == "reg-1")
    }

    @LoopActor @Test func `what the provider returns is what counts, secret and all (7591-2)`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        let (_, _, reply) = try await register(
            stand,
            [
                "token_endpoint_auth_method": "client_secret_post", "client_secret": "given-by-the-provider",
                "client_secret_expires_at": 0, "registration_access_token": "rat-1",
                "registration_client_uri": "https://idp.example/register/reg-1",
            ]
        )
        let login = try stand.started(reply.get())
        let page = stand.bringCode(login)
        let exchange = await stand.transport.next()
        #expect(exchange.form["client_id"] == "reg-1" && exchange.form["client_secret"] == "given-by-the-provider")
        exchange.answer(try stand.tokens(login, claims: ["aud": "reg-1"]))
        _ = await page.value
        #expect(await stand.wait(login).value?["subject"] == "alice")
        let kept = registrations(stand)
        #expect(kept?["client_secret"] == "given-by-the-provider" && kept?["registration_access_token"] == "rat-1")
        #expect(kept?["client_secret_expires_at"] == nil)
        #expect(stand.store.clients["work"]?.clientID == "reg-1" && stand.store.kept["work"]?.clientID == "reg-1")
        #expect(try stand.world.account().status.clientID == "reg-1")
        // The grant is renewed as that client, after a restart as before it.
        await stand.clock.advance(by: .seconds(3600))
        let refresh = await stand.transport.next()
        #expect(refresh.form["client_secret"] == "given-by-the-provider" && refresh.form["refresh_token"] == "R1")
    }

    @LoopActor @Test func `a secret without a method is shown by client_secret_basic (RFC 7591, section 2)`()
        async throws
    {
        let stand = try await stand()
        defer { stand.end() }
        let (_, _, reply) = try await register(
            stand,
            ["token_endpoint_auth_method": nil, "client_secret": "given-by-the-provider"]
        )
        _ = stand.bringCode(try stand.started(reply.get()))
        let exchange = await stand.transport.next()
        #expect(exchange.request.headers["Authorization"]?.hasPrefix("Basic ") == true)
        #expect(exchange.form["client_secret"] == nil)
        #expect(registrations(stand)?["token_endpoint_auth_method"] == "client_secret_basic")
    }

    @LoopActor @Test func `the next sign-in uses the same client, and its port where that can be had`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        let (_, _, reply) = try await register(stand)
        #expect(try await finish(stand, reply).value != nil)
        let again = try await stand.start()
        #expect(again.query["client_id"] == "reg-1")
        #expect(again.redirectURI == (try stand.started(reply.get())).redirectURI)
        #expect(stand.transport.posts.count { $0.url.path == "/register" } == 1)
    }

    @LoopActor @Test func `a stale client is registered anew, and the grant's own stays until then`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        let (_, _, first) = try await register(
            stand,
            [
                "token_endpoint_auth_method": "client_secret_basic", "client_secret": "first-secret",
                "client_secret_expires_at": .integer(stand.clock.now.wall + 600),
            ]
        )
        #expect(try await finish(stand, first).value != nil)
        await stand.clock.advance(by: .seconds(601))
        let (_, _, second) = try await register(stand, ["client_id": "reg-2"])
        #expect(try stand.started(second.get()).query["client_id"] == "reg-2")
        _ = await stand.client.call(.loginCancel, ["login_id": second.value?["login_id"] ?? .null])
        // A user who gave up signing in still has the old grant, with the client that it was issued to.
        let account = try stand.world.account()
        #expect(account.token(.fresh) == nil)
        let refresh = await stand.transport.next()
        #expect(refresh.request.headers["Authorization"] != nil && refresh.form["refresh_token"] == "R1")
    }

    @LoopActor @Test(arguments: ["invalid_client", "unauthorized_client"])
    func `a client that the provider has forgotten is registered anew at the next sign-in`(error: String) async throws {
        let stand = try await stand()
        defer { stand.end() }
        let (_, _, reply) = try await register(stand)
        #expect(try await finish(stand, reply).value != nil)
        let call = ClientCall(.fresh, to: try stand.world.account())
        await stand.transport.next().answer(.oauthError(error, status: 401))
        #expect(await call.failure()?.message.contains("tokenctl login work") == true)
        #expect(stand.store.member("refresh_token") != nil)
        let (_, _, second) = try await register(stand, ["client_id": "reg-2"])
        #expect(try await finish(stand, second, id: "reg-2").value != nil)
        #expect(try stand.world.account().status.clientID == "reg-2")
    }

    @LoopActor @Test(arguments: ["invalid_redirect_uri", "invalid_client_metadata"])
    func `a refusal is shown and ends the sign-in before a browser opens (7591-3)`(error: String) async throws {
        let stand = try await stand()
        defer { stand.end() }
        let (_, _, reply) = try await register(
            stand,
            ["error": .string(error), "error_description": "not like that"],
            status: 400
        )
        #expect(reply.kind == .providerError && reply.error?.data["oauth_error"] == .string(error))
        #expect(reply.error?.message.contains("not like that") == true)
        #expect(reply.error?.message.contains("client_id") == true)
        #expect(stand.store.clients.isEmpty)
        #expect(stand.world.redirects.opened.allSatisfy { !$0.isOpen })
    }

    @LoopActor @Test func `an initial access token goes along, and nowhere else (7591-3)`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        let (_, _, refused) = try await register(stand, ["error": "invalid_token"], status: 401)
        #expect(refused.error?.message.contains("--kind initial_access_token") == true)
        let params: JSONObject = ["account": "work", "kind": "initial_access_token", "value": "iat-0123456789"]
        #expect(await stand.client.call(.accountSecret, params).value == [:])
        let (asked, _, reply) = try await register(stand)
        #expect(asked.headers["Authorization"] == "Bearer iat-0123456789")
        #expect(try await finish(stand, reply).value != nil)
        #expect(stand.transport.posts.last?.headers["Authorization"] == nil)
        var moved = try #require(stand.world.account().configuration)
        moved.endpoints.registration = try WebURL("https://evil.example/register")
        stand.world.reconfigure(moved)
        let (elsewhere, _, _) = try await register(stand)
        #expect(elsewhere.url.host == "evil.example" && elsewhere.headers["Authorization"] == nil)
    }

    @LoopActor @Test func `answers that are of no use are told, and nothing is kept of them`() async throws {
        let useless: [(JSONObject, Int, ErrorKind)] = [
            (["client_id": ""], 201, .providerError),
            (["token_endpoint_auth_method": "tls_client_auth"], 201, .providerError),
            (["token_endpoint_auth_method": "client_secret_basic"], 201, .providerError),
            (["redirect_uris": ["https://elsewhere.example/cb"]], 201, .providerError),
            (["error": "temporarily_unavailable"], 503, .providerUnreachable),
        ]
        for (answer, status, kind) in useless {
            let stand = try await stand()
            let (_, _, reply) = try await register(stand, answer, status: status)
            #expect(reply.kind == kind)
            #expect(stand.store.clients.isEmpty)
            stand.end()
        }
    }

    @LoopActor @Test func `a provider that registers nobody is told before a browser opens`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        stand.provider.publish()
        let error = await stand.client.call(.loginStart, ["account": "work"]).error
        #expect(error?.kind == .configInvalid && error?.data["member"] == "client_id")
        #expect(stand.world.redirects.opened.isEmpty)
        let imported = await stand.client.call(.accountImport, ["account": "work", "refresh_token": "x"])
        #expect(imported.kind == .configInvalid)
    }

    @LoopActor @Test func `a client_id in the file takes the place of the registered one, and holds its grant back`()
        async throws
    {
        let stand = try await stand()
        defer { stand.end() }
        let (_, _, reply) = try await register(stand)
        #expect(try await finish(stand, reply).value != nil)
        let registering = try #require(stand.world.account().configuration)
        stand.world.reconfigure(try .openID())
        #expect(await stand.client.call(.tokenGet, ["account": "work"]).error?.data["reason"] == "config_changed")
        stand.world.reconfigure(registering)
        #expect(await stand.client.call(.tokenGet, ["account": "work"]).value?["access_token"] == "A1")
    }
}
