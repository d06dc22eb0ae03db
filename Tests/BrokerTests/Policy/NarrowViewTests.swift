// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTPTypes
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// What there is behind a narrower socket, and what is not.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct NarrowViewTests {
    /// Two accounts, of which the narrower socket names one.
    @LoopActor private final class Stand {
        let world: World
        let main: MethodStand
        let server: SocketServer
        let path: String
        private let listener: Int32

        init(_ change: (inout NarrowSocket) -> Void = { _ in }) async throws {
            world = World([try .plain("work"), try .plain("home")])
            for name in ["work", "home"] {
                let account = try AccountConfiguration.plain(name)
                world.store.put(GrantRecord.signedIn(account, at: world.clock.now).item(for: account))
            }
            await world.start()
            main = try MethodStand(world)
            path = "/tmp/tokend-narrow.\(getpid()).\(UInt32.random(in: 0 ... .max))"
            listener = try UnixSocketListener.bind(path)
            var socket = NarrowSocket(name: "build", path: path, accounts: ["work", "gone"])
            change(&socket)
            server = try SocketServer(
                loop: .main,
                clock: world.clock,
                listener: listener,
                handler: main.router,
                view: SocketView(socket, path: path)
            )
        }

        func client() throws -> MethodClient { try MethodClient(path: path) }

        func end() {
            server.stopAccepting()
            server.closeAll()
            close(listener)
            unlink(path)
            main.end()
        }
    }

    @Test @LoopActor func `a method that is not named does not exist there`() async throws {
        let stand = try await Stand()
        defer { stand.end() }
        let client = try stand.client()
        let hello = try Hello.Result(json: await client.call(.hello).get())
        #expect(Set(hello.methods.keys) == ["hello", "token.get"])
        for method in Route.byMethod.keys where ![.hello, .tokenGet].contains(method) {
            #expect(await client.call(method, ["account": "work"]).kind == .methodNotFound, "\(method)")
        }
        #expect(await client.call(.tokenGet, ["account": "work"]).value?["access_token"] == "A1")
    }

    @Test @LoopActor func `an account that is not named does not exist there`() async throws {
        let stand = try await Stand { $0.methods = NarrowSocket.possible }
        defer { stand.end() }
        let client = try stand.client()
        let error = try #require(await client.call(.tokenGet, ["account": "home"]).error)
        let absent = try #require(await client.call(.tokenGet, ["account": "nowhere"]).error)
        #expect(error.kind == .accountUnknown && error.data["accounts"] == ["work"])
        #expect(error.message.replacing("home", with: "nowhere") == absent.message)
        #expect(await client.call(.accountList).value?["accounts"] == ["work"])
        // The only account that is seen is meant where none is named.
        #expect(await client.call(.tokenGet).value?["account"] == "work")
        #expect(await client.call(.tokenGet, ["issuer": "https://nowhere.example"]).kind == .accountUnknown)
        let other: JSONObject = ["account": "work", "issuer": "https://nowhere.example"]
        #expect(await client.call(.tokenGet, other).error?.data["accounts"] == ["work"])
        for method in [Method.logout, .loginStart, .accountRefresh, .status] {
            #expect(await client.call(method, ["account": "home"]).kind == .accountUnknown, "\(method)")
        }
        let login = try await stand.main.client().call(.loginStart, ["account": "home"]).get()["login_id"] ?? .null
        for method in [Method.loginWait, .loginCancel] {
            #expect(await client.call(method, ["login_id": login]).kind == .loginUnknown)
        }
    }

    @Test @LoopActor func `status tells of its own accounts alone, without saying who the person is`() async throws {
        let stand = try await Stand { $0.methods.insert(.status) }
        defer { stand.end() }
        let client = try stand.client()
        let status = try Status.Result(json: await client.call(.status).get())
        #expect(status.accounts.map(\.account) == ["work"] && status.accounts[0].state == .ready)
        #expect(status.accounts[0].identity == nil && status.accounts[0].subject == nil)
        #expect(status.daemon.socket == stand.path && status.daemon.configFolder.isEmpty)
    }

    @Test @LoopActor func `a sign-in that was begun there ends without a word of who the person is`() async throws {
        let login = try await LoginStand()
        defer { login.end() }
        let path = "/tmp/tokend-narrow.\(getpid()).\(UInt32.random(in: 0 ... .max))"
        let listener = try UnixSocketListener.bind(path)
        var socket = NarrowSocket(name: "build", path: path, accounts: ["work"])
        socket.methods = NarrowSocket.possible
        let server = try SocketServer(
            loop: .main,
            clock: login.clock,
            listener: listener,
            handler: login.methods.router,
            view: SocketView(socket, path: path)
        )
        defer {
            server.stopAccepting()
            server.closeAll()
            close(listener)
            unlink(path)
        }
        let client = try MethodClient(path: path)
        for round in 1...2 {
            let started = try await login.start(by: client)
            // The second time the provider could be told whom to offer.
            #expect(started.query["login_hint"] == nil)
            let waiting = client.send(.loginWait, ["login_id": .string(started.id)])
            let coming = login.bringCode(started)
            login.transport.next(answer: try login.tokens(started))
            _ = await login.page(after: coming.value, of: started)
            let result = try await client.reply(to: waiting).get()
            #expect(result["account"] == "work" && result["scope"] == "openid mail", "round \(round)")
            #expect(result["subject"] == nil && result["identity"] == nil)
            #expect(login.store.member("refresh_token") == "R1")
        }
        // At the main socket it is as ever.
        #expect(try await login.start().query["login_hint"] == "alice@idp.example")
    }

    @Test @LoopActor func `events of other accounts, and of the daemon, are not told there`() async throws {
        let stand = try await Stand()
        defer { stand.end() }
        let view = try #require(stand.server.view)
        #expect(view.shows(EventMessage(.tokenRefreshed, account: "work", at: 0)))
        #expect(!view.shows(EventMessage(.tokenRefreshed, account: "home", at: 0)))
        #expect(!view.shows(EventMessage(.configReloaded, at: 0)))
        // Which other program asks is nobody's business there.
        #expect(!view.shows(EventMessage(.confirmWanted, account: "work", at: 0)))
        #expect(!view.shows(EventMessage(.confirmEnded, account: "work", at: 0)))
    }

    @Test @LoopActor func `after its end nothing is there`() async throws {
        var end: Int64 = 0
        let stand = try await Stand { socket in
            socket.until = 1_000_000_000_000
            end = socket.until ?? 0
        }
        defer { stand.end() }
        let client = try stand.client()
        #expect(await client.call(.tokenGet).value != nil)
        stand.world.clock.stepWall(by: end)
        #expect(await client.call(.tokenGet).kind == .methodNotFound)
        #expect(await client.call(.hello).kind == .methodNotFound)
    }

    @Test @LoopActor func `an account's own rules hold there too`() async throws {
        let stand = try await Stand()
        defer { stand.end() }
        var account = try AccountConfiguration.plain()
        account.policy.allow = [.init(.executable("/usr/bin/true"))]
        stand.world.reconfigure(account)
        let client = try stand.client()
        #expect(await client.call(.tokenGet).kind == .notAllowed)
    }

    @Test @LoopActor func `other users than those that are named get no byte`() async throws {
        let stand = try await Stand { $0.uids = [geteuid() + 1] }
        defer { stand.end() }
        let peer = try SocketPeer(path: stand.path)
        peer.send("{\"method\":\"hello\"}\n")
        #expect(await peer.end().isEmpty)
    }

    @Test @LoopActor func `who signs in there replaces no sign-in of the person's, and opens one tab for its own`()
        async throws
    {
        let stand = try await Stand { $0.methods = NarrowSocket.possible }
        defer { stand.end() }
        let (person, client) = (try stand.main.client(), try stand.client())
        let own = try await person.call(.loginStart, ["account": "work", "prompt": "login"]).get()
        let other: JSONObject = ["account": "work", "open_browser": true]
        let error = try #require(await client.call(.loginStart, other).error)
        #expect(error.kind == .loginPending && error.data["login_id"] == own["login_id"])
        #expect(await person.call(.loginCancel, ["login_id": own["login_id"] ?? .null]).value != nil)
        #expect(await client.call(.loginStart, other).kind == .notAllowed)
        #expect(stand.world.browser.opened.isEmpty)
        await stand.world.clock.advance(by: .seconds(301))
        // The same again joins, and the tab is there already.
        for _ in 0..<10 { #expect(await client.call(.loginStart, other).value != nil) }
        await settle()
        #expect(stand.world.browser.opened.count == 1)
        #expect(await person.call(.loginStart, ["account": "work", "open_browser": true]).value != nil)
        await settle()
        #expect(stand.world.browser.opened.count == 2)
    }
}
