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

/// Results that come after a logout, a login or a change of the configuration.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LateResultTests {
    /// Answers revocations, and nothing else, by itself.
    @LoopActor private func revoking(_ world: World) {
        world.transport.script = { request in
            request.url.path == "/revoke" ? .success(HTTPResponse(status: 200)) : nil
        }
    }

    @LoopActor private func revoked(_ world: World) -> [String] {
        world.transport.posts.filter { $0.url.path == "/revoke" }.compactMap { $0.form["token"] }
    }

    @LoopActor @Test func `a refresh that ends after the logout revokes its token and stores nothing`() async throws {
        let world = await World.signedIn(try .plain())
        revoking(world)
        let call = try world.get()
        let exchange = await world.transport.next()
        let result = await (try world.account()).logout(revoke: true)
        #expect(result.revoked)
        #expect(await call.failure()?.data["reason"] == "signed_out")
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(revoked(world) == ["R1", "A1", "R2"])
        #expect(world.store.kept.isEmpty)
    }

    @LoopActor @Test func `a logout that shall not revoke leaves a late result alone, and stores nothing`() async throws
    {
        let world = await World.signedIn(try .plain())
        revoking(world)
        _ = try world.get()
        let exchange = await world.transport.next()
        _ = await (try world.account()).logout(revoke: false)
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(revoked(world).isEmpty)
        #expect(world.store.kept.isEmpty)
    }

    @LoopActor @Test func `a logout while the answer is being stored takes it back (late result)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        revoking(world)
        _ = try world.get()
        let exchange = await world.transport.next()
        world.store.held = [.write]
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        _ = await (try world.account()).logout(revoke: true)
        world.store.release()
        await settle()
        #expect(world.store.kept.isEmpty)
        #expect(revoked(world).last == "R2")
    }

    /// Answers that bring the refresh token `R2`, each by another way to the store.
    private static let rotations: [HTTPResponse] = [
        .token("A2", refresh: "R2"), .token("A2", refresh: "R2", ["token_type": "mac"]),
    ]

    @LoopActor @Test(arguments: rotations)
    func `a logout while the store refuses the answer revokes it as well (late result)`(answer: HTTPResponse)
        async throws
    {
        let world = await World.signedIn(try .plain())
        try await refuseLate(world, answer)
        #expect(world.store.kept.isEmpty)
        #expect(revoked(world).last == "R2")
    }

    @LoopActor @Test func `a logout while the store refuses an answer about another person revokes that (late result)`()
        async throws
    {
        let world = await World.signedIn(try .openID())
        let issuer = try TestIssuer()
        world.transport.documents = issuer.documents
        let token = try issuer.idToken(["sub": "mallory"], at: world.clock.now)
        _ = try await world.broker.directory.keys(
            at: try WebURL(TestIssuer.name + "/jwks"),
            wire: try world.account().wire
        )
        try await refuseLate(world, .token("A2", refresh: "R2", ["id_token": .string(token)]))
        #expect(revoked(world).last == "R2")
    }

    @LoopActor @Test func `a logout while the store refuses what is to be traded revokes that (late result)`()
        async throws
    {
        var account = try AccountConfiguration.plain()
        account.exchange = ApplicationExchange(url: try WebURL("https://app.example/session"))
        account.exchange?.subject = .accessToken
        let world = await World.signedIn(account)
        try await refuseLate(world, .token("A2", refresh: "R2"))
        #expect(revoked(world).last == "R2")
        #expect(world.transport.posts.allSatisfy { $0.url.host != "app.example" })
    }

    @LoopActor @Test func `a logout that shall not revoke leaves what the store refuses late alone`() async throws {
        let world = await World.signedIn(try .plain())
        try await refuseLate(world, .token("A2", refresh: "R2"), revoke: false)
        #expect(revoked(world).isEmpty)
    }

    /// A logout comes while an answer is being written, which then fails.
    @LoopActor private func refuseLate(
        _ world: World,
        _ answer: HTTPResponse,
        revoke: Bool = true
    ) async throws {
        revoking(world)
        _ = try world.get()
        let exchange = await world.transport.next()
        world.store.held = [.write]
        exchange.answer(answer)
        await world.store.holding()
        _ = await (try world.account()).logout(revoke: revoke)
        world.store.faults[.write] = [MemoryCredentialStore.unavailable]
        world.store.release()
        await settle()
    }

    @LoopActor @Test func `a logout while the store is given what it had refused takes that back, too`() async throws {
        let world = await World.signedIn(try .plain())
        revoking(world)
        _ = try world.get()
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.locked
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        world.store.fault = nil
        world.store.held = [.write]
        world.broker.storeSignalled()
        await settle()
        let result = await (try world.account()).logout(revoke: true)
        #expect(result.revoked)
        #expect(revoked(world).first == "R2")
        world.store.release()
        await settle()
        #expect(world.store.kept.isEmpty)
    }

    @LoopActor @Test func `a logout during discovery is not undone by the mark of the refresh`() async throws {
        let world = await World.signedIn(try .openID())
        _ = try world.get()
        let discovery = await world.transport.next()
        #expect(discovery.request.method == .get)
        _ = await (try world.account()).logout(revoke: false)
        discovery.answer(.page(status: 404))
        for url in try TestIssuer().documents { world.transport.documents[url.key] = url.value }
        await settle()
        #expect(world.store.kept.isEmpty)
        #expect(world.transport.refreshes.isEmpty)
    }

    /// What a login does in the end: the item is written, then the account takes the grant over.
    @LoopActor private func signIn(_ world: World, access: String) async throws {
        let configuration = try AccountConfiguration.plain()
        let account = try world.account()
        try await account.grant.locks.withItem {
            var record = GrantRecord.signedIn(configuration, at: world.clock.now, access: access)
            record.refreshToken = Secret("N1")
            try await world.store.write(record.item(for: configuration))
            account.perform(account.grant.signedIn(record))
        }
    }

    @LoopActor @Test func `a login during a refresh wins: the late token is neither stored nor revoked`() async throws {
        let world = await World.signedIn(try .plain())
        revoking(world)
        let call = try world.get()
        let exchange = await world.transport.next()
        try await signIn(world, access: "N")
        #expect(await call.token() == "N")
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(world.store.member("refresh_token")?.string == "N1")
        let everWritten = world.store.written.compactMap {
            MemoryCredentialStore.object(of: $0)?["refresh_token"]?.string
        }
        #expect(everWritten == ["R1", "N1"])
        #expect(revoked(world).isEmpty)
        #expect(try world.get().answer?.get().token.accessToken == Secret("N"))
    }

    @LoopActor @Test(arguments: [HTTPResponse.token("A2", refresh: "R2"), .oauthError("invalid_grant")])
    func `a login wins over a result that was being written when it came`(answer: HTTPResponse) async throws {
        let world = await World.signedIn(try .plain())
        _ = try world.get()
        let exchange = await world.transport.next()
        world.store.held = [.write]
        exchange.answer(answer)
        await settle()
        let login = Task.onLoop { try? await signIn(world, access: "N") }
        await settle()
        world.store.release()
        #expect(await login.value != nil)
        await settle()
        #expect(world.store.member("refresh_token")?.string == "N1")
        await world.restart()
        #expect(try world.get().answer?.get().token.accessToken == Secret("N"))
    }

    @LoopActor @Test func `a refusal after a login does not end the new grant (engine rule 9)`() async throws {
        let world = await World.signedIn(try .plain())
        _ = try world.get()
        let exchange = await world.transport.next()
        try await signIn(world, access: "N")
        exchange.answer(.oauthError("invalid_grant"))
        await settle()
        #expect(world.log.endings.isEmpty)
        #expect(world.store.member("refresh_token")?.string == "N1")
    }

    // MARK: Configuration

    @LoopActor @Test func `an account's file that vanishes for a moment loses no refresh (reload matrix, P)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        revoking(world)
        let call = try world.get()
        let exchange = await world.transport.next()
        world.reconfigure()
        #expect(await call.failure()?.kind == .accountUnknown)
        #expect(world.broker.isRefreshing)
        world.reconfigure(try .plain())
        let second = try world.get()
        exchange.answer(.token("A2", refresh: "R2"))
        #expect(await second.token() == "A2")
        #expect(world.transport.refreshes.count == 1)
        #expect(world.store.member("refresh_token")?.string == "R2")
    }

    @LoopActor @Test func `an account's file that stays away: the refresh is stored, nothing is served or revoked`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        revoking(world)
        _ = try world.get()
        let exchange = await world.transport.next()
        world.reconfigure()
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(revoked(world).isEmpty)
        #expect(throws: ProtocolError.self) { try world.get() }
        await world.clock.advance(by: .seconds(86_400))
        #expect(world.transport.refreshes.count == 1)
        world.reconfigure(try .plain())
        let call = try world.get()
        #expect(await world.transport.next().form["refresh_token"] == "R2")
        _ = call
    }

    @LoopActor @Test func `a grant is held back from where it was not made for, and comes back with the old value`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 0)
        var moved = try AccountConfiguration.plain()
        moved.endpoints.token = try WebURL("https://evil.example/token")
        world.reconfigure(moved)
        #expect(await (try world.get(.fresh)).failure()?.data["reason"] == "config_changed")
        await world.clock.advance(by: .seconds(7200))
        #expect(world.transport.requests.isEmpty)
        world.reconfigure(try .plain())
        let call = try world.get()
        await world.transport.next().answer(.token("A2"))
        #expect(await call.token() == "A2")
    }
}
