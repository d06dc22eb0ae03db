// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// A logout whose provider could not be told.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct OwedRevocationTests {
    @LoopActor private func revoked(_ world: World) -> [String] {
        world.transport.posts.filter { $0.url.path == "/revoke" }.compactMap { $0.form["token"] }
    }

    @LoopActor private func answering(_ world: World, _ status: Int = 200) {
        world.transport.script = { $0.url.path == "/revoke" ? .success(HTTPResponse(status: status)) : nil }
    }

    /// A world whose daemon was killed while the provider was being told.
    @LoopActor private func killedWhileTelling() async throws -> World {
        let world = await World.signedIn(try .plain(), age: 0)
        let account = try world.account()
        Task.onLoop { _ = await account.logout(revoke: true) }
        _ = await world.transport.next()
        #expect(world.store.kept.isEmpty)
        return world
    }

    @LoopActor @Test func `killed during a logout before the provider is told: the next daemon tells it, once`()
        async throws
    {
        let world = try await killedWhileTelling()
        answering(world)
        await world.restart()
        #expect(revoked(world) == ["R1", "R1", "A1"])
        #expect(world.store.revocations.isEmpty)
        #expect(await (try world.get()).failure()?.data["reason"] == "signed_out")
        await world.restart()
        #expect(revoked(world).count == 3)
    }

    @LoopActor @Test func `with a locked store the next daemon tells it once that opens`() async throws {
        let world = try await killedWhileTelling()
        answering(world)
        world.store.fault = MemoryCredentialStore.locked
        await world.restart()
        #expect(revoked(world).count == 1)
        world.store.fault = nil
        #expect(await (try world.get()).failure()?.data["reason"] == "signed_out")
        await settle()
        #expect(revoked(world) == ["R1", "R1", "A1"])
        #expect(world.store.revocations.isEmpty)
    }

    @LoopActor @Test func `a logout that the provider heard of leaves nothing`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        answering(world)
        #expect(await (try world.account()).logout(revoke: true).revoked)
        #expect(world.store.revocations.isEmpty)
        #expect(world.store.kept.isEmpty)
    }

    @LoopActor @Test func `one that shall not revoke puts nothing by`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        _ = await (try world.account()).logout(revoke: false)
        #expect(world.store.revocations.isEmpty)
        #expect(world.store.writeCount == 0)
    }

    @LoopActor @Test func `a provider that is away is told at the next start, for a week at most`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        world.transport.script = { _ in .failure(.test(.connect, mayHaveBeenSent: false)) }
        #expect(await (try world.account()).logout(revoke: true).revocationFault != nil)
        #expect(world.store.revocations.count == 1)
        await world.restart()
        #expect(world.store.revocations.count == 1)
        await world.clock.suspend(for: .seconds(8 * 86_400))
        await world.restart()
        #expect(world.store.revocations.isEmpty)
    }

    @LoopActor @Test func `a provider that is away is told once a network comes, and no oftener than that`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 0)
        world.transport.script = { _ in .failure(.test(.resolve, mayHaveBeenSent: false)) }
        #expect(await (try world.account()).logout(revoke: true).revocationFault != nil)
        for _ in 0..<30 {
            world.broker.networkAppeared()
            await world.clock.advance(by: .seconds(1))
        }
        #expect(revoked(world).count == 1 + 2)
        answering(world)
        await world.clock.advance(by: .seconds(60))
        #expect(revoked(world).count == 1 + 2)
        world.broker.networkAppeared()
        await settle()
        #expect(Array(revoked(world).suffix(2)) == ["R1", "A1"])
        #expect(world.store.revocations.isEmpty)
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(60))
        world.broker.networkAppeared()
        await settle()
        #expect(revoked(world).count == 1 + 2 + 2)
    }

    @LoopActor @Test func `while the account's file has a fault its debt is kept, and paid by a later start`()
        async throws
    {
        let world = try await killedWhileTelling()
        answering(world)
        let fault = ConfigurationFault(file: "work.json5", message: "x")
        world.files.configuration.accounts["work"] = .misconfigured([fault])
        await world.restart()
        #expect(revoked(world).count == 1 && world.store.revocations.count == 1)
        world.files.configuration = Configuration([try .plain()])
        await world.restart()
        #expect(revoked(world) == ["R1", "R1", "A1"] && world.store.revocations.isEmpty)
    }

    @LoopActor @Test func `the debt of an account whose file is gone is forgotten after a week`() async throws {
        let world = try await killedWhileTelling()
        world.files.configuration = Configuration([])
        await world.restart()
        #expect(world.store.revocations.count == 1)
        await world.clock.suspend(for: .seconds(8 * 86_400))
        await world.restart()
        #expect(world.store.revocations.isEmpty && revoked(world).count == 1)
    }

    @LoopActor @Test func `what a login has overtaken is not revoked: that could end the new grant, too`() async throws
    {
        let world = try await killedWhileTelling()
        let account = try AccountConfiguration.plain()
        var record = GrantRecord.signedIn(account, at: world.clock.now)
        record.refreshToken = Secret("R9")
        world.store.put(record.item(for: account))
        answering(world)
        _ = world.state.change { $0.removals = [] }
        await world.restart()
        #expect(revoked(world) == ["R1"])
        #expect(world.store.revocations.isEmpty && world.store.kept.count == 1)
        #expect(try world.get().answer?.get().token.accessToken == Secret("A1"))
    }

    @LoopActor @Test func `nor where the login came while the daemon ran, and a network comes after it`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        world.transport.script = { _ in .failure(.test(.connect, mayHaveBeenSent: false)) }
        let account = try world.account()
        #expect(await account.logout(revoke: true).revocationFault != nil)
        var record = GrantRecord.signedIn(try .plain(), at: world.clock.now)
        record.refreshToken = Secret("R9")
        _ = account.install(record)
        answering(world)
        await world.clock.advance(by: .seconds(60))
        world.broker.networkAppeared()
        await settle()
        #expect(revoked(world) == ["R1"] && world.store.revocations.isEmpty)
    }
}
