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

/// `flow: "client_credentials"`: tokens for the client itself (RFC 6749, section 4.4). No user signs in.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct OwnTokenTests {
    static func bot(_ change: (inout AccountConfiguration) -> Void = { _ in }) throws -> AccountConfiguration {
        var account = try AccountConfiguration.showing(.clientSecretBasic)
        account.flow = .clientCredentials
        change(&account)
        return account
    }

    @LoopActor private func stand(_ account: AccountConfiguration) async -> World {
        let world = World([account])
        world.give(.clientSecret, "s3cr3t", to: account)
        await world.start()
        return world
    }

    /// The first token.
    @LoopActor private func fetch(_ world: World, _ answer: HTTPResponse = .token("A1")) async throws {
        let call = try world.get()
        await world.transport.next().answer(answer)
        #expect(await call.token() != nil)
    }

    @LoopActor @Test func `the first call fetches, and the next ones are served from what is held`() async throws {
        let world = await stand(try Self.bot { $0.resource = ["https://api.example"] })
        #expect(world.transport.requests.isEmpty)
        #expect(try world.account().status.state == .ready && world.account().status.flow == .clientCredentials)
        let call = try world.get()
        let exchange = await world.transport.next()
        #expect(exchange.form["grant_type"] == "client_credentials" && exchange.form["scope"] == "mail")
        #expect(exchange.form["resource"] == "https://api.example")
        #expect(exchange.request.headers["Authorization"] == "Basic YXBwOnMzY3IzdA==")
        // A refresh token in such an answer is none (section 4.4.3).
        exchange.answer(.token("A1", refresh: "R1"))
        #expect(await call.token() == "A1")
        #expect(try world.get().answer?.get().token.accessToken == Secret("A1"))
        #expect(world.transport.requests.count == 1)
        #expect(world.store.member("refresh_token") == nil)
        let status = try world.account().status
        #expect(status.renewable == false && status.subject == nil && status.expiresAt != nil)
    }

    @LoopActor @Test func `it is fetched anew ahead of its end, as refresh.policy says`() async throws {
        for policy in [RefreshSettings.Policy.always, .onDemand] {
            let world = await stand(try Self.bot { $0.refresh.policy = policy })
            try await fetch(world)
            await world.clock.advance(by: .seconds(3500))
            #expect(world.transport.waitingCount == (policy == .always ? 1 : 0))
            // Nothing that could die of idleness is kept alive.
            if policy == .onDemand { await world.clock.advance(by: .seconds(400_000)) }
            #expect(world.transport.requests.count == (policy == .always ? 2 : 1))
        }
    }

    @LoopActor @Test func `a token that an API refused is fetched anew, once in the gap`() async throws {
        let world = await stand(try Self.bot())
        try await fetch(world)
        let call = try world.get(.rejected("A1"))
        await world.transport.next().answer(.token("A2"))
        #expect(await call.token() == "A2")
        #expect(await (try world.get(.rejected("A2"))).failure()?.kind == .tokenRejected)
        #expect(world.transport.requests.count == 2)
    }

    @LoopActor @Test func `after a restart it is served from the store`() async throws {
        let world = await stand(try Self.bot())
        try await fetch(world)
        await world.restart()
        #expect(try world.get().answer?.get().token.accessToken == Secret("A1"))
        #expect(world.transport.requests.count == 1)
    }

    @LoopActor @Test func `without a secret it is config_invalid, seen in status before anyone asks`() async throws {
        let world = World([try Self.bot()])
        await world.start()
        let status = try world.account().status
        #expect(status.state == .misconfigured && status.fault?.kind == .configInvalid)
        let error = await (try world.get()).failure()
        #expect(error?.kind == .configInvalid && error?.message.contains("tokenctl account secret work") == true)
        #expect(world.transport.requests.isEmpty)
        try await world.account().giveSecret(.clientSecret, Secret("s3cr3t"))
        #expect(try world.account().status.state == .ready)
        try await fetch(world)
    }

    @LoopActor @Test func `a refusal is the client's and not a sign-out; a provider that is away is waited for`()
        async throws
    {
        for (answer, kind) in [
            (HTTPResponse.oauthError("invalid_grant"), ErrorKind.providerError), (.oauthError("odd"), .providerError),
            (.oauthError("invalid_client", status: 401), .providerError), (.page(status: 502), .providerUnreachable),
        ] {
            let world = await stand(try Self.bot())
            let call = try world.get()
            await world.transport.next().answer(answer)
            #expect(await call.failure()?.kind == kind)
            #expect(try world.account().status.state == .retrying)
            await world.clock.advance(by: .seconds(120))
            try await fetch(world)
        }
    }

    @LoopActor @Test func `a logout forgets the token and tells the provider; the next call fetches`() async throws {
        let world = await stand(try Self.bot())
        try await fetch(world)
        world.transport.script = { request in
            request.url.path == "/revoke" ? .success(HTTPResponse(status: 200, headers: [:], body: [])) : nil
        }
        let result = await (try world.account()).logout(revoke: true)
        #expect(result.revoked && world.store.kept["work"] == nil && world.store.clients["work"] != nil)
        #expect(world.transport.posts.last?.form["token"] == "A1")
        try await fetch(world, .token("A2"))
        #expect(world.store.member("token")?.object?["access_token"]?.string == "A2")
        #expect(world.state.kept.removals.isEmpty)
    }

    @LoopActor @Test func `other scopes in the file fetch another token, also after a restart`() async throws {
        let world = await stand(try Self.bot())
        try await fetch(world)
        world.reconfigure(try Self.bot { $0.scopes = ["mail", "admin"] })
        let call = try world.get()
        let exchange = await world.transport.next()
        #expect(exchange.form["scope"] == "mail admin")
        exchange.answer(.token("A2"))
        #expect(await call.token() == "A2")
        world.files.configuration = Configuration([try Self.bot()])
        await world.restart()
        try await fetch(world, .token("A3"))
    }

    @LoopActor @Test func `a person's grant is not served for it, nor thrown away`() async throws {
        let account = try AccountConfiguration.showing(.clientSecretBasic)
        let world = await World.withSecret(account)
        world.reconfigure(try Self.bot())
        #expect(await (try world.get()).failure()?.data["reason"] == "config_changed")
        #expect(world.store.member("refresh_token")?.string == "R1")
        world.reconfigure(account)
        _ = try world.get()
        #expect(await world.transport.next().form["refresh_token"] == "R1")
    }

    @LoopActor @Test func `login.start fetches and needs nobody; another flow than the file's is refused`() async throws
    {
        let stand = try await LoginStand([try Self.bot()])
        defer { stand.end() }
        let missing = await stand.client.call(.loginStart, ["account": "work"])
        #expect(missing.kind == .configInvalid)
        let params: JSONObject = ["account": "work", "kind": "client_secret", "value": "s3cr3t"]
        #expect(await stand.client.call(.accountSecret, params).value == [:])
        stand.transport.next(answer: .token("A1"))
        let started = await stand.client.call(
            .loginStart,
            ["account": "work", "flow": "client_credentials", "open_browser": true]
        )
        #expect(started.value?["flow"] == "client_credentials" && started.value?["authorization_url"] == nil)
        let ended = await stand.client.call(.loginWait, ["login_id": started.value?["login_id"] ?? .null])
        #expect(ended.value?["renewable"] == false && ended.value?["scope"] == "mail")
        #expect(stand.world.browser.opened.isEmpty && stand.world.redirects.opened.isEmpty)
        let held = await stand.client.call(.tokenGet, ["account": "work"])
        #expect(held.value?["access_token"] == "A1")
        let other = await stand.client.call(.loginStart, ["account": "work", "flow": "browser"])
        #expect(other.kind == .invalidParams && other.error?.data["member"] == "flow")
    }

    @LoopActor @Test func `a store that refuses the token keeps nobody from it`() async throws {
        let world = await stand(try Self.bot())
        world.store.faults[.write] = [MemoryCredentialStore.unavailable]
        try await fetch(world)
        #expect(world.store.kept["work"] == nil)
        await world.broker.keepTokens(within: .seconds(10))
        #expect(world.store.member("token")?.object?["access_token"]?.string == "A1")
    }
}
