// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Who waits for a token: nobody who has left, and not more than can be served.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct TokenWaiterTests {
    /// An account whose own token has ended, at a socket.
    @LoopActor private static func stand() async throws -> MethodStand {
        try MethodStand(await World.signedIn(try .plain()))
    }

    private static func audience(_ name: String) -> JSONObject { ["audience": .string(name)] }

    @LoopActor private func leave(_ client: MethodClient, _ stand: MethodStand) async throws {
        let count = stand.server.clientCount
        client.leave()
        while stand.server.clientCount == count { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test @LoopActor func `a client that left is not waited for, nor what nobody else asked for`() async throws {
        let stand = try await Self.stand()
        defer { stand.end() }
        let greedy = try stand.client()
        for number in 0..<10 { _ = greedy.send(.tokenGet, Self.audience("a\(number)")) }
        await greedy.arrive()
        let owner = try stand.client()
        let wanted = owner.send(.tokenGet, Self.audience("a7"))
        let own = owner.send(.tokenGet)
        await owner.arrive()
        let account = try stand.world.account()
        #expect(account.waiters.count == 12)
        try await leave(greedy, stand)
        #expect(account.waiters.count == 2)
        // What was sent already may end.
        let first = await stand.world.transport.next()
        #expect(first.form["audience"] == "a0")
        first.answer(.token("T0", refresh: "R2"))
        let second = await stand.world.transport.next()
        #expect(second.form["audience"] == nil, "the account's own token goes first")
        second.answer(.token("A2", refresh: "R3"))
        #expect(try await owner.reply(to: own).get()["access_token"] == "A2")
        let third = await stand.world.transport.next()
        #expect(third.form["audience"] == "a7")
        third.answer(.token("T7", refresh: "R4"))
        #expect(try await owner.reply(to: wanted).get()["access_token"] == "T7")
        await settle()
        #expect(stand.world.transport.refreshes.count == 3 && account.waiters.count == 0)
    }

    @Test @LoopActor func `one whose time runs out is not waited for either`() async throws {
        let stand = try await Self.stand()
        defer { stand.end() }
        let client = try stand.client()
        let own = client.send(.tokenGet)
        let short = client.send(.tokenGet, ["audience": "late", "timeout": 5])
        let refresh = client.send(.accountRefresh, ["account": "work", "timeout": 5])
        await client.arrive()
        await stand.world.clock.advance(by: .seconds(6))
        #expect(await client.reply(to: short).kind == .timeout)
        #expect(await client.reply(to: refresh).kind == .timeout)
        #expect(try stand.world.account().waiters.count == 1)
        await stand.world.transport.next().answer(.token("A2", refresh: "R2"))
        #expect(try await client.reply(to: own).get()["access_token"] == "A2")
        await settle()
        #expect(stand.world.transport.refreshes.count == 1)
    }

    @Test @LoopActor func `an interactive client that left is not waited for either`() async throws {
        let stand = try await Self.stand()
        defer { stand.end() }
        let client = try stand.client()
        _ = client.send(.tokenGet, ["audience": "a", "interactive": true])
        _ = client.send(.tokenGet, ["audience": "b", "interactive": true])
        await client.arrive()
        await settle()
        #expect(try stand.world.account().waiters.count == 2)
        try await leave(client, stand)
        #expect(try stand.world.account().waiters.count == 0)
        await stand.world.transport.next().answer(.token("A", refresh: "R2"))
        await settle()
        #expect(stand.world.transport.refreshes.count == 1)
    }

    @Test @LoopActor func `more combinations than an account remembers are not queued, and the client is told`()
        async throws
    {
        let stand = try await Self.stand()
        defer { stand.end() }
        let client = try stand.client()
        let ids = (0..<40).map { client.send(.tokenGet, Self.audience("a\($0)")) }
        let own = client.send(.tokenGet)
        await client.arrive()
        let account = try stand.world.account()
        #expect(account.waiters.count == TokenWaiters.mostCombinations + 1)
        let error = try #require(await client.reply(to: ids[39]).error)
        #expect(error.kind == .providerUnreachable && error.message.contains("so many requests wait"))
        let isFirstAnswered = await client.hasReply(to: ids[0])
        let isOwnAnswered = await client.hasReply(to: own)
        #expect(!isFirstAnswered && !isOwnAnswered)
    }

    /// A wait of a process, by number.
    @LoopActor private static func wait(_ client: Int32?, _ variant: TokenVariant? = nil) -> TokenWaiters.Waiter {
        .init(TokenDemand(variant: variant), client: client) { _ in }
    }

    @Test @LoopActor func `where too many wait, the process that waits most often loses its newest`() {
        let waiters = TokenWaiters()
        let first = waiters.add(Self.wait(1)).id
        for _ in 0..<TokenWaiters.most - 1 { #expect(waiters.add(Self.wait(2)).crowdedOut.isEmpty) }
        let owner = waiters.add(Self.wait(3))
        #expect(owner.crowdedOut.map(\.client) == [2] && waiters[owner.id] != nil && waiters[first] != nil)
        let next = waiters.add(Self.wait(2))
        #expect(next.crowdedOut.map(\.client) == [2] && waiters[next.id] == nil)
        // The daemon's own wait is nobody's to end.
        #expect(waiters.add(Self.wait(nil)).crowdedOut.map(\.client) == [2])
        #expect(waiters.count == TokenWaiters.most)
    }

    @Test @LoopActor func `of combinations, too: another process has its own`() {
        let waiters = TokenWaiters()
        func variant(_ number: Int) -> TokenVariant { TokenVariant(audience: "a\(number)") }
        for number in 0..<TokenWaiters.mostCombinations { _ = waiters.add(Self.wait(2, variant(number))) }
        #expect(waiters.add(Self.wait(2, variant(0))).crowdedOut.isEmpty, "it is queued already")
        let owner = waiters.add(Self.wait(3, variant(99)))
        // Two wait for one of them; the newest that makes room goes.
        #expect(waiters[owner.id] != nil && Set(owner.crowdedOut.map(\.client)) == [2])
        let own = waiters.add(Self.wait(2))
        #expect(waiters.order.first == own.id)
    }

    @Test @LoopActor func `a program's name and a challenge have a length, whichever reader takes the line`()
        async throws
    {
        let stand = try MethodStand(await World.signedIn(try .plain(), age: 60))
        defer { stand.end() }
        let client = try stand.client()
        let name = String(repeating: "x", count: TokenGet.Parameters.applicationLimit)
        for _ in 0..<2 {
            #expect(await client.call(.tokenGet, ["application": .string(name)]).value != nil)
            let error = await client.call(.tokenGet, ["application": .string(name + "x")]).error
            #expect(error?.kind == .invalidParams && error?.data["member"] == "application")
        }
        let challenge = String(repeating: "a=b,", count: TokenGet.Parameters.challengeLimit / 4)
        #expect(await client.call(.tokenGet, ["challenge": .string(challenge)]).value != nil)
        let error = await client.call(.tokenGet, ["challenge": .string(challenge + "a")]).error
        #expect(error?.kind == .invalidParams && error?.data["member"] == "challenge")
        let scope = String(repeating: "s ", count: 4097)
        #expect(await client.call(.tokenGet, ["scope": .string(scope)]).kind == .invalidParams)
    }
}
