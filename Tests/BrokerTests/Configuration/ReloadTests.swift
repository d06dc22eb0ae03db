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

/// Files that change while something is under way (P), and a `config.json5` that is broken.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ReloadTests {
    private static let fault = ConfigurationFault(
        file: "/c/config.json5",
        line: 3,
        member: "store",
        message: "is wrong"
    )

    @Test @LoopActor func `an edit of the account ends its sign-in, and any other reload does not`() async throws {
        let stand = try await LoginStand([.openID(), .openID("other")])
        defer { stand.end() }
        let login = try await stand.start()
        let waiting = stand.client.send(.loginWait, ["login_id": .string(login.id)])
        var other = try AccountConfiguration.openID("other")
        other.scopes = ["openid"]
        stand.world.reconfigure(try .openID(), other)
        #expect(await stand.client.hasReply(to: waiting) == false && login.listener.isOpen)
        stand.world.reconfigure(try AccountConfiguration.openID().refreshing { $0.margin = 60 }, other)
        let error = await stand.client.reply(to: waiting).error
        #expect(error?.kind == .cancelled && error?.message.contains("settings of “work” changed") == true)
        #expect(!login.listener.isOpen)
    }

    @Test @LoopActor func `a fault, a removal and another proxy end it, too`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let good = stand.world.files.configuration
        var broken = good
        broken.accounts["work"] = .misconfigured([Self.fault])
        var proxied = good
        proxied.daemon.wire.proxy = "http://proxy.example"
        for (configuration, word) in [(broken, "fault"), (Configuration([]), "removed"), (proxied, "changed")] {
            let login = try await stand.start()
            let waiting = stand.client.send(.loginWait, ["login_id": .string(login.id)])
            await stand.client.arrive()
            stand.world.files.configuration = configuration
            stand.world.broker.reload()
            let error = await stand.client.reply(to: waiting).error
            #expect(error?.kind == .cancelled && error?.message.contains(word) == true)
            #expect(!login.listener.isOpen)
            stand.world.files.configuration = good
            stand.world.broker.reload()
        }
    }

    @Test @LoopActor func `a grant that was being stored when its settings changed is kept and held back`() async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        stand.store.held = [.write]
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login))
        await stand.store.holding()
        var other = try AccountConfiguration.openID()
        other.clientID = "other"
        stand.world.reconfigure(other)
        stand.store.release()
        _ = await coming.value
        #expect(await stand.wait(login).kind == nil)
        let error = await stand.client.call(.tokenGet).error
        #expect(error?.kind == .loginRequired && error?.data["reason"] == "config_changed")
        stand.world.reconfigure(try .openID())
        #expect(try await stand.client.call(.tokenGet).get()["access_token"] == "A1")
    }

    @Test @LoopActor func `an account that is removed while its grant is being stored harms nothing`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let login = try await stand.start()
        let waiting = stand.client.send(.loginWait, ["login_id": .string(login.id)])
        stand.store.held = [.write]
        let coming = stand.bringCode(login)
        stand.transport.next(answer: try stand.tokens(login))
        await stand.store.holding()
        await stand.client.arrive()
        stand.world.reconfigure()
        #expect(await stand.client.call(.tokenGet).kind == .accountUnknown)
        stand.store.release()
        _ = await coming.value
        #expect(await stand.client.reply(to: waiting).kind == nil)
        #expect(stand.store.member("refresh_token") == "R1")
        stand.world.reconfigure(try .openID())
        await settle()
        #expect(try await stand.client.call(.tokenGet).get()["access_token"] == "A1")
    }

    // MARK: During a refresh

    @Test @LoopActor func `an edit that keeps the grant keeps the refresh`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let waiting = stand.client.send(.tokenGet, ["fresh": true])
        let refresh = await stand.transport.next()
        stand.world.reconfigure(try AccountConfiguration.openID().refreshing { $0.margin = 60 })
        refresh.answer(.token("A2", refresh: "R2"))
        #expect(try await stand.client.reply(to: waiting).get()["access_token"] == "A2")
        #expect(stand.store.member("refresh_token") == "R2")
    }

    @Test @LoopActor func `an edit that holds the grant back stores the refresh and serves nothing of it`() async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let waiting = stand.client.send(.tokenGet, ["fresh": true])
        let refresh = await stand.transport.next()
        var other = try AccountConfiguration.openID()
        other.clientID = "other"
        stand.world.reconfigure(other)
        refresh.answer(.token("A2", refresh: "R2"))
        let error = await stand.client.reply(to: waiting).error
        #expect(error?.kind == .loginRequired && error?.data["reason"] == "config_changed")
        await settle()
        #expect(stand.store.member("refresh_token") == "R2" && stand.revoked.isEmpty)
        stand.world.reconfigure(try .openID())
        #expect(try await stand.client.call(.tokenGet).get()["access_token"] == "A2")
    }

    @Test @LoopActor func `a file that is gone and comes back during a refresh loses nothing`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let waiting = stand.client.send(.tokenGet, ["fresh": true])
        let refresh = await stand.transport.next()
        stand.world.reconfigure()
        #expect(await stand.client.reply(to: waiting).kind == .accountUnknown)
        stand.world.reconfigure(try .openID())
        await settle()
        refresh.answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(stand.store.member("refresh_token") == "R2" && stand.revoked.isEmpty)
        #expect(try await stand.client.call(.tokenGet).get()["access_token"] == "A2")
        #expect(stand.transport.refreshes.count == 1)
    }

    // MARK: config.json5

    @Test @LoopActor func `broken at the start, it leaves hello, status and config.reload alone answering`()
        async throws
    {
        let world = World([try .plain()])
        let good = world.files.configuration
        world.files.configuration.daemonFaults = [Self.fault]
        await world.restart()
        let methods = try MethodStand(world)
        defer { methods.end() }
        let client = try methods.client()
        for method in Method.allCases where ![.hello, .status, .configReload].contains(method) {
            guard Route.byMethod[method] != nil else { continue }
            let error = await client.call(method).error
            #expect(error?.kind == .configInvalid)
            #expect(
                error?.data["file"] == "/c/config.json5" && error?.data["line"] == 3 && error?.data["member"] == "store"
            )
        }
        #expect(world.broker.store.state == .unknown)
        #expect(await client.call(.hello).kind == nil)
        let config = try await client.call(.status).get()["daemon"]?.object?["config"]?.object
        #expect(config?["state"] == "faults" && config?["faults"]?.array?.count == 1)
        #expect(try await client.call(.configReload).get()["faults"]?.array?.count == 1)
        world.files.configuration = good
        #expect(try await client.call(.configReload).get()["state"] == "ok")
        #expect(await client.call(.accountList).kind == nil)
        await settle()
        #expect(world.broker.store.state == .ready)
        // Broken again, it keeps the last good one in force.
        world.files.configuration.daemonFaults = [Self.fault]
        #expect(try await client.call(.configReload).get()["state"] == "faults")
        #expect(await client.call(.accountList).kind == nil)
    }

    @Test @LoopActor func `an account with a fault stands still, and all others go on`() async throws {
        let stand = try await LoginStand([.openID(), .openID("other")])
        defer { stand.end() }
        try await stand.signIn()
        stand.world.files.configuration.accounts["work"] = .misconfigured([Self.fault])
        let events = try stand.methods.client()
        _ = await events.call(.eventsSubscribe)
        let reply = try await stand.client.call(.configReload).get()
        #expect(reply["state"] == "faults" && reply["faults"]?.array?.first?.object?["file"] == "/c/config.json5")
        for method in [Method.tokenGet, .loginStart] {
            let error = await stand.client.call(method, ["account": "work"]).error
            #expect(error?.kind == .configInvalid && error?.data["line"] == 3)
        }
        #expect(await stand.client.call(.tokenGet, ["account": "other"]).kind == .loginRequired)
        let accounts = try await stand.client.call(.status).get()["accounts"]?.array
        #expect(accounts?.map { $0.object?["state"] } == ["signed_out", "misconfigured"])
        stand.world.reconfigure(try .openID(), try .openID("other"))
        #expect(try await stand.client.call(.tokenGet, ["account": "work"]).get()["access_token"] == "A1")
    }

    @Test @LoopActor func `a default account that is not there is not replaced by the only one that is`() async throws {
        let stand = try await LoginStand([.openID("private")])
        defer { stand.end() }
        #expect(await stand.client.call(.tokenGet).kind == .loginRequired)
        stand.world.files.configuration.daemon.defaultAccount = "work"
        stand.world.broker.reload()
        let error = await stand.client.call(.tokenGet).error
        #expect(error?.kind == .accountUnknown && error?.message.contains("“work”") == true)
        #expect(error?.data["accounts"] == ["private"])
    }
}
