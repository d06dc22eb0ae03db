// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// What the router says of itself, and of requests that it cannot take.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct RouterTests {
    @Test @LoopActor func `hello tells every method with its parameters`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let hello = try Hello.Result(json: await stand.client.call(.hello).get())
        #expect(hello.name == "tokend" && hello.protocolVersion == 1 && hello.pid == 1)
        #expect(hello.methods["hello"] == [] && hello.methods["login.wait"] == ["login_id", "timeout"])
        #expect(hello.methods["token.exchange"] == nil)
    }

    @Test @LoopActor func `every method that hello names is there, and refuses what it does not know`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        for method in Route.byMethod.keys {
            let error = await stand.client.call(method, ["colour": 1]).error
            #expect(error?.kind == .invalidParams && error?.data["member"] == "colour")
        }
    }

    @Test @LoopActor func `every parameter that hello names is known, and wants its type`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        for (method, names) in Route.all.map({ ($0.method, $0.names) }) {
            for name in names {
                // Nothing takes a list of that.
                let error = await stand.client.call(method, JSONObject([(name, JSONValue.array([.bool(true)]))])).error
                #expect(error?.kind == .invalidParams)
            }
        }
    }

    @Test @LoopActor func `a method that nobody has is not found, whatever its parameters`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        for method in Method.allCases where Route.byMethod[method] == nil {
            #expect(await stand.client.call(method).kind == .methodNotFound)
        }
    }

    @Test @LoopActor func `what is not there is named in the answer, and what is not built is not offered`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        if let method = Method.allCases.first(where: { Route.byMethod[$0] == nil }) {
            let message = await stand.client.call(method).error?.message
            #expect(message?.contains("“\(method.rawValue)”") == true)
        }
        let message = await stand.client.call(.tokenGet, ["acount": "work"]).error?.message
        #expect(message?.contains("acount") == true && message?.contains("account") == true)
    }

    @Test @LoopActor func `a passphrase reaches the store, past any prompt, and its refusals reach the client`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.store.held = [.unlock]
        let prompted = stand.client.send(.storeUnlock)
        await stand.store.holding()
        let given = stand.client.send(.storeUnlock, ["passphrase": "x"])
        while stand.store.passphrases.count < 2 { await stand.client.arrive() }
        stand.store.release()
        for id in [prompted, given] { #expect(try await stand.client.reply(to: id).get()["state"] == "ready") }
        #expect(stand.store.passphrases == [nil, Secret("x")])
        let refusals: [(StoreError, ErrorKind, JSONObject)] = [
            (
                StoreError(code: .locked, message: "m", passphrase: .new, file: "/f"), .storeLocked,
                ["passphrase": "new", "file": "/f"]
            ),
            (StoreError(code: .unavailable, message: "m", file: "/f"), .storeUnavailable, ["file": "/f"]),
            (StoreError(code: .passphraseUnwanted, message: "m"), .invalidParams, ["member": "passphrase"]),
        ]
        for (fault, kind, data) in refusals {
            stand.store.unlockFault = fault
            let error = await stand.client.call(.storeUnlock, ["passphrase": "x"]).error
            #expect(error?.kind == kind && error?.data == data)
        }
    }

    @Test @LoopActor func `a daemon that stops begins nothing new`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.methods.router.isStopping = true
        #expect(await stand.client.call(.loginStart, ["account": "work"]).kind == .cancelled)
    }

    @Test @LoopActor func `subscribers are told, and no one else`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let other = try stand.methods.client()
        _ = await other.call(.eventsSubscribe)
        let event = EventMessage(.configReloaded, at: 0)
        stand.methods.server.publish(event, Array("{\"jsonrpc\":\"2.0\",\"method\":\"event\"}\n".utf8))
        #expect(await other.call(.hello).kind == nil)
        #expect(other.events == 1 && stand.client.events == 0)
    }

    @Test @LoopActor func `a token whose end nobody knows is looked at anew each time`() async throws {
        let stand = try await LoginStand([.plain()])
        defer { stand.end() }
        let login = try await stand.start()
        _ = stand.bringCode(login)
        stand.transport.next(answer: .token("A1", expiresIn: nil, refresh: "R1"))
        _ = await stand.wait(login)
        for _ in 0..<2 {
            #expect(try await stand.client.call(.tokenGet).get()["access_token"] == "A1")
            #expect(try stand.world.account().readyToken == nil)
        }
    }

    @Test @LoopActor func `a client that leaves in the middle of its wait ends no refresh`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let leaver = try stand.methods.client()
        _ = leaver.send(.tokenGet, ["fresh": true])
        let refresh = await stand.transport.next()
        let patient = stand.client.send(.tokenGet, ["fresh": true])
        await stand.client.arrive()
        leaver.leave()
        while stand.methods.server.clientCount > 1 { await stand.client.arrive() }
        refresh.answer(.token("A2", refresh: "R2"))
        #expect(try await stand.client.reply(to: patient).get()["access_token"] == "A2")
        #expect(stand.store.member("refresh_token") == "R2" && stand.transport.refreshes.count == 1)
    }
}
