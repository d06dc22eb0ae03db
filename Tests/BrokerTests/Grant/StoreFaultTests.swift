// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// A secret store that is locked, away or full.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct StoreFaultTests {
    @LoopActor @Test func `a locked store: nothing is sent, and the client is told (engine rule 3)`() async throws {
        let world = await World.signedIn(try .plain())
        world.store.fault = MemoryCredentialStore.locked
        #expect(await (try world.get()).failure()?.kind == .storeLocked)
        #expect(try world.account().statusState == .storeLocked)
        #expect(world.transport.requests.isEmpty)
    }

    @LoopActor @Test func `a store that does not answer: nothing is sent (engine rule 3)`() async throws {
        let world = await World.signedIn(try .plain())
        world.store.fault = MemoryCredentialStore.unavailable
        #expect(await (try world.get()).failure()?.kind == .storeUnavailable)
        #expect(world.transport.requests.isEmpty)
    }

    @LoopActor @Test func `a store that reads and does not write: nothing is sent (engine rule 3)`() async throws {
        let world = await World.signedIn(try .plain())
        world.store.faults[.write] = [MemoryCredentialStore.unavailable]
        #expect(await (try world.get()).failure()?.kind == .storeUnavailable)
        #expect(world.transport.requests.isEmpty)
        let call = try world.get()
        await world.transport.next().answer(.token("A2", refresh: "R2"))
        #expect(await call.token() == "A2")
    }

    @LoopActor @Test func `a full store, which can be read, is not asked in a loop by several accounts`() async throws {
        let world = World([try .plain("home"), try .plain("work")])
        for name in ["home", "work"] {
            let account = try AccountConfiguration.plain(name)
            let record = GrantRecord.signedIn(account, at: world.clock.now, age: 3600)
            world.store.put(record.item(for: account))
        }
        await world.start()
        world.store.faults[.write] = [StoreError](repeating: MemoryCredentialStore.unavailable, count: 1000)
        await world.clock.advance(by: .seconds(600))
        #expect(world.store.writeCount <= 2 * 600 / 30)
        #expect(world.transport.requests.isEmpty)
        world.store.faults[.write] = nil
        world.transport.script = { _ in .success(.token("A2", refresh: "R2")) }
        await world.clock.advance(by: .seconds(60))
        #expect(world.transport.refreshes.count == 2)
    }

    @LoopActor @Test func `a held token is served although the store is locked`() async throws {
        let world = await World.signedIn(try .plain(), age: 3595)
        world.store.fault = MemoryCredentialStore.locked
        #expect(await (try world.get()).token() == "A1")
        #expect(world.transport.requests.isEmpty)
    }

    @LoopActor @Test func `an unlock resumes what the lock held up, without a client (field failure 14)`() async throws
    {
        let world = await World.signedIn(try .plain())
        world.store.fault = MemoryCredentialStore.locked
        _ = await (try world.get()).failure()
        world.store.fault = nil
        world.broker.storeSignalled()
        await world.clock.advance(by: .zero)
        await world.transport.next().answer(.token("A2"))
        await settle()
        #expect(await (try world.get()).token() == "A2")
    }

    @LoopActor @Test func `locked at the start: no sign-out, and all is there after the unlock (F6, field failure 4)`()
        async throws
    {
        let world = World([try .plain()])
        world.store.put(GrantRecord.signedIn(try .plain(), at: world.clock.now).item(for: try .plain()))
        world.store.fault = MemoryCredentialStore.locked
        await world.start()
        #expect(try world.account().statusState == .storeLocked)
        #expect(await (try world.get()).failure()?.kind == .storeLocked)
        world.store.fault = nil
        world.broker.storeSignalled()
        await settle()
        #expect(try world.account().statusState == .ready)
        #expect(await (try world.get()).token() == "A1")
        #expect(world.store.calls[.unlock] == nil)
    }

    @LoopActor @Test
    func `a rotation that the store refuses is kept, not served, written again, then served (rule 4, H)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.unavailable
        exchange.answer(.token("A2", refresh: "R2"))
        #expect(await call.failure()?.kind == .storeUnavailable)
        #expect(await (try world.get()).failure()?.kind == .storeUnavailable)
        #expect(try world.account().statusState == .retrying)
        await world.clock.advance(by: .seconds(30))
        #expect(await (try world.get()).failure()?.kind == .storeUnavailable)
        world.store.fault = nil
        await world.clock.advance(by: .seconds(60))
        #expect(await (try world.get()).token() == "A2")
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(world.store.member("pending") == nil)
        #expect(world.transport.refreshes.count == 1)
    }

    @LoopActor @Test func `what failed before a rotation that the store refused is forgotten with it (engine rule 4)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let first = try world.get()
        await world.transport.next().answer(.page(status: 502))
        _ = await first.ended()
        await world.clock.advance(by: .seconds(5))
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.locked
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(await (try world.get()).failure()?.kind == .storeLocked)
        world.store.fault = nil
        world.broker.storeSignalled()
        await settle()
        #expect(await (try world.get()).token() == "A2")
        #expect(try world.account().statusState == .ready)
    }

    @LoopActor @Test func `an unlock writes at once what the store had refused (engine rule 4)`() async throws {
        let world = await World.signedIn(try .plain())
        _ = try world.get()
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.locked
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        world.store.fault = nil
        world.broker.storeSignalled()
        await settle()
        #expect(world.store.member("refresh_token")?.string == "R2")
        #expect(try world.get().answer?.get().token.accessToken == Secret("A2"))
    }

    @LoopActor @Test func `a store that stays shut is asked with back-off, once a minute at most`() async throws {
        let world = await World.signedIn(try .plain())
        _ = try world.get()
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.unavailable
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        let before = world.store.writeCount
        await world.clock.advance(by: .seconds(3600))
        #expect((58...70).contains(world.store.writeCount - before))
        #expect(world.transport.refreshes.count == 1)
    }

    @LoopActor @Test func `what the store owes is written for a paused account, and for one with a fault`() async throws
    {
        let world = await World.signedIn(try .plain())
        _ = try world.get()
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.unavailable
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        try world.account().grant.pause(true)
        let fault = ConfigurationFault(file: "work.json5", line: 1, member: nil, message: "no")
        world.files.configuration.accounts["work"] = .misconfigured([fault])
        world.broker.reload()
        world.store.fault = nil
        await world.clock.advance(by: .seconds(5))
        #expect(world.store.member("refresh_token")?.string == "R2")
    }

    @LoopActor @Test func `a stop writes what the store had refused, and the held token where it is not there`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        _ = try world.get()
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.unavailable
        exchange.answer(.token("A2", refresh: "R2"))
        await settle()
        world.broker.stop()
        #expect(world.broker.isRefreshing)
        world.store.fault = nil
        await world.broker.keepTokens(within: .seconds(10))
        #expect(world.store.member("refresh_token")?.string == "R2")
        await world.restart()
        #expect(try world.get().answer?.get().token.accessToken == Secret("A2"))
    }

    @LoopActor @Test func `a stop during a refresh leaves the mark in the store (engine rule 5)`() async throws {
        let world = await World.signedIn(try .plain()) { $0.rotates = true }
        _ = try world.get()
        _ = await world.transport.next()
        world.broker.stop()
        #expect(world.broker.isRefreshing)
        await world.broker.keepTokens(within: .seconds(10))
        #expect(world.store.member("pending") != nil)
    }

    @LoopActor @Test func `after a planned stop a restart costs the provider nothing`() async throws {
        let world = await World.signedIn(try .plain()) { $0.rotates = false }
        _ = try world.get()
        await world.transport.next().answer(.token("A2"))
        await settle()
        #expect(world.store.writeCount == 0)
        world.broker.stop()
        await world.broker.keepTokens(within: .seconds(10))
        #expect(world.store.writeCount == 1)
        await world.restart()
        #expect(try world.get().answer?.get().token.accessToken == Secret("A2"))
        await world.clock.advance(by: .seconds(60))
        #expect(world.transport.refreshes.count == 1)
    }

    @LoopActor @Test func `an item of a newer daemon is left as it is`() async throws {
        let world = World([try .plain()])
        var item = GrantRecord.signedIn(try .plain(), at: world.clock.now).item(for: try .plain())
        item.secret = Secret(#"{"version":2}"#)
        world.store.put(item)
        await world.start()
        #expect(await (try world.get()).failure()?.kind == .storeUnavailable)
        #expect(world.store.kept["work"] == item)
    }
}
