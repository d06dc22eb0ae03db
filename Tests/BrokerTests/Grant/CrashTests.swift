// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// The daemon is killed at each step of a refresh, and starts again on the same store.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct CrashTests {
    /// A world whose refresh is under way; its only request so far.
    @LoopActor private func refreshing() async throws -> (World, ScriptedTransport.Exchange) {
        let world = await World.signedIn(try .plain())
        _ = try world.get()
        return (world, await world.transport.next())
    }

    @LoopActor @Test func `killed before the mark is written: nothing was sent, the token is as good as before`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        world.store.held = [.write]
        _ = try world.get()
        await settle()
        #expect(world.transport.requests.isEmpty)
        await world.restart()
        #expect(world.store.member("pending") == nil)
        let call = try world.get()
        await world.transport.next().answer(.token("A2", refresh: "R2"))
        #expect(await call.token() == "A2")
    }

    @LoopActor @Test func `killed after sending: the marked token is tried at once, and works inside a grace period`()
        async throws
    {
        let (world, _) = try await refreshing()
        world.entropy.random = 0.9
        await world.restart()
        await world.clock.advance(by: .zero)
        let retry = await world.transport.next()
        #expect(retry.form["refresh_token"] == "R1")
        retry.answer(.token("A3", refresh: "R3"))
        await settle()
        #expect(await (try world.get()).token() == "A3")
        #expect(world.store.member("pending") == nil)
        #expect(world.transport.refreshes.count == 2)
    }

    @LoopActor @Test func `killed after sending: a marked token that is refused is lost_rotation, after one try`()
        async throws
    {
        let (world, _) = try await refreshing()
        await world.restart()
        await world.clock.advance(by: .zero)
        await world.transport.next().answer(.oauthError("invalid_grant"))
        await settle()
        let failure = await (try world.get()).failure()
        #expect(failure?.kind == .loginRequired)
        #expect(failure?.data["reason"] == "lost_rotation")
        await world.clock.advance(by: .seconds(3600))
        #expect(world.transport.refreshes.count == 2)
        #expect(world.store.member("refresh_token") == nil)
    }

    @LoopActor @Test func `killed after sending: a marked token whose try is lost is not sent twice in a row`()
        async throws
    {
        let (world, _) = try await refreshing()
        await world.restart()
        await world.clock.advance(by: .zero)
        await world.transport.next().fail(.interrupted, mayHaveBeenSent: true)
        await settle()
        #expect(world.transport.refreshes.count == 2)
    }

    @LoopActor @Test func `killed after the answer and before its write: as after sending`() async throws {
        let (world, exchange) = try await refreshing()
        world.store.held = [.write]
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        await world.restart()
        #expect(world.store.member("refresh_token")?.string == "R1")
        #expect(world.store.member("pending") != nil)
        await world.clock.advance(by: .zero)
        await world.transport.next().answer(.token("A3", refresh: "R3"))
        #expect(await (try world.get()).token() == "A3")
    }

    @LoopActor @Test
    func `killed after the write and before a client's answer: the new token is served, nothing is sent`()
        async throws
    {
        let (world, exchange) = try await refreshing()
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        await world.restart()
        #expect(try world.get().answer?.get().token.accessToken == Secret("A2"))
        await world.clock.advance(by: .seconds(60))
        #expect(world.transport.refreshes.count == 1)
    }

    @LoopActor @Test func `killed during a logout after the item went: the grant stays gone`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        let account = try world.account()
        Task.onLoop { _ = await account.logout(revoke: true) }
        _ = await world.transport.next()
        await world.restart()
        #expect(await (try world.get()).failure()?.data["reason"] == "signed_out")
    }

    @LoopActor @Test func `killed during a logout that the locked store kept: the item goes at the next unlock`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 0)
        world.store.fault = MemoryCredentialStore.locked
        let result = await (try world.account()).logout(revoke: false)
        #expect(result.removalPending == true)
        await world.restart()
        world.store.fault = nil
        #expect(await (try world.get()).failure()?.data["reason"] == "signed_out")
        #expect(world.store.kept.isEmpty)
        #expect(world.state.kept.removals.isEmpty)
    }

    @LoopActor @Test func `a logout that a restart would undo is said, and none once there is space again`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 0)
        world.store.fault = MemoryCredentialStore.locked
        world.state.fault = LastingFault(message: "cannot write state.json: No space left on device")
        let result = await (try world.account()).logout(revoke: false)
        #expect(result.removalPending == true && result.removalFault?.contains("No space left on device") == true)
        #expect(result.removalFault?.contains("restart") == true)
        #expect(await (try world.get()).failure()?.data["reason"] == "signed_out")
        world.state.fault = nil
        let again = await (try world.account()).logout(revoke: false)
        #expect(again.removalPending == true && again.removalFault == nil)
        await world.restart()
        world.store.fault = nil
        #expect(await (try world.get()).failure()?.data["reason"] == "signed_out")
        #expect(world.store.kept.isEmpty)
    }

    @LoopActor @Test func `a quarantined grant serves nothing after a restart either`() async throws {
        let world = World([try .openID()])
        var record = GrantRecord.signedIn(try .openID(), at: world.clock.now)
        record.token = nil
        record.ended = .init(reason: .subject, at: world.clock.now.wall)
        world.store.put(record.item(for: try .openID()))
        await world.start()
        #expect(await (try world.get()).failure()?.data["reason"] == "subject")
        #expect(world.transport.requests.isEmpty)
    }
}
