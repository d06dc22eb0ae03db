// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// The short way of a cached token, held against the full one, which a request goes whose account is spelt with an
/// escape.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ReadyTokenTests {
    private static let plain = #"{"id":1,"method":"token.get","params":{"account":"work"}}"#
    private static let odd = #"{"id":1,"method":"token.get","params":{"account":"w\u006frk"}}"#

    /// A broker that holds a token, behind its router and a socket, and one client.
    @LoopActor private final class Stand {
        let world: World
        let router: RequestRouter
        let peer: SocketPeer
        private let server: SocketServer
        private let path: String
        private let listener: Int32

        init() async throws {
            world = World([try .plain()])
            world.store.put(GrantRecord.signedIn(try .plain(), at: world.clock.now).item(for: try .plain()))
            await world.start()
            var template = Array("/tmp/tokend-test.XXXXXX".utf8CString)
            guard let folder = mkdtemp(&template) else { throw SystemdError(code: errno, operation: "make a folder") }
            path = String(cString: folder) + "/socket"
            listener = try UnixSocketListener.bind(path)
            router = RequestRouter(
                broker: world.broker,
                identity: .init(version: "0", pid: 1, startedAt: world.clock.now.wall, socket: path)
            )
            server = try SocketServer(loop: .main, clock: world.clock, listener: listener, handler: router)
            peer = try SocketPeer(path: path)
        }

        func ask(_ line: String) async -> String? {
            peer.send(line + "\n")
            return await peer.line()
        }

        /// Whether the next plain request is answered from what is ready.
        var isReady: Bool { (try? world.account().readyToken) != nil }

        /// Waits until the server has seen the client go.
        func leave() async {
            peer.close()
            while server.clientCount > 0 { await Task.yield() }
        }

        func end() {
            server.stopAccepting()
            server.closeAll()
            close(listener)
            unlink(path)
            rmdir(String(path.dropLast(7)))
        }
    }

    @Test @LoopActor func `a ready reply is the line that the full way gives`() async throws {
        let stand = try await Stand()
        defer { stand.end() }
        let full = await stand.ask(Self.odd)
        #expect(stand.isReady)
        #expect(await stand.ask(Self.plain) == full)
        await stand.world.clock.advance(by: .seconds(7))
        let later = await stand.ask(Self.plain)
        #expect(later != full)
        #expect(await stand.ask(Self.odd) == later)
    }

    @Test @LoopActor func `requests in one piece are answered in their order, ready or not`() async throws {
        let stand = try await Stand()
        defer { stand.end() }
        _ = await stand.ask(Self.odd)
        let lines = (1...6).map { number in
            #"{"id":\#(number),"method":"\#(number % 3 == 0 ? "hello" : "token.get")"}"#
        }
        stand.peer.send(lines.joined(separator: "\n") + "\n")
        let ids = await stand.peer.lines(6).map { $0.prefix(8) }
        #expect(ids == (1...6).map { #"{"id":\#($0),"# })
    }

    @Test @LoopActor func `a new token takes the ready one's place at once`() async throws {
        let stand = try await Stand()
        defer { stand.end() }
        _ = await stand.ask(Self.plain)
        #expect(stand.isReady)
        let forced = try stand.world.get(TokenDemand(fresh: true))
        #expect(await stand.ask(Self.plain)?.contains(#""access_token":"A1""#) == true)
        await stand.world.transport.next().answer(.token("A2", refresh: "R2"))
        #expect(await forced.token() == "A2")
        #expect(!stand.isReady)
        #expect(await stand.ask(Self.plain)?.contains(#""access_token":"A2""#) == true)
    }

    @Test @LoopActor func `a token that no longer holds long enough is not ready for that client`() async throws {
        let stand = try await Stand()
        defer { stand.end() }
        _ = await stand.ask(Self.plain)
        let demanding = #"{"id":2,"method":"token.get","params":{"account":"work","min_valid":3599}}"#
        // One that came less than a minute ago is good enough for everyone.
        await stand.world.clock.advance(by: .seconds(61))
        #expect(stand.isReady)
        stand.peer.send(demanding + "\n")
        await stand.world.transport.next().answer(.token("A2", refresh: "R2"))
        #expect(await stand.peer.line()?.contains(#""access_token":"A2""#) == true)
    }

    @Test @LoopActor func `nothing is ready of an account that has a fault, was retired, or in a daemon that stops`()
        async throws
    {
        let stand = try await Stand()
        defer { stand.end() }
        _ = await stand.ask(Self.plain)
        stand.router.isStopping = true
        #expect(await stand.ask(Self.plain)?.contains(#""kind":"cancelled""#) == true)
        stand.router.isStopping = false
        let account = try stand.world.account()
        account.configure(.misconfigured([]), daemon: DaemonConfiguration())
        #expect(account.readyToken == nil)
        stand.world.reconfigure(try .plain())
        _ = await stand.ask(Self.plain)
        #expect(account.readyToken != nil)
        stand.world.reconfigure()
        #expect(account.readyToken == nil)
        #expect(await stand.ask(Self.plain)?.contains(#""kind":"account_unknown""#) == true)
    }

    @Test @LoopActor func `the log hears of the first token at once, then once a minute, and of the rest at the end`()
        async throws
    {
        let stand = try await Stand()
        defer { stand.end() }
        var told: [Int] {
            stand.world.log.events.compactMap { event in
                guard case .tokenServed("work", _, nil, let count) = event else { return nil }
                return count
            }
        }
        for line in [Self.odd, Self.plain, Self.plain, Self.odd] { _ = await stand.ask(line) }
        #expect(told == [1])
        await stand.world.clock.advance(by: .seconds(61))
        for _ in 0..<3 { _ = await stand.ask(Self.plain) }
        #expect(told == [1, 3, 1])
        await stand.leave()
        #expect(told == [1, 3, 1, 2])
    }
}
