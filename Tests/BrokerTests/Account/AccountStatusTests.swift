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

/// What `status` and the events say of a grant.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct AccountStatusTests {
    @LoopActor @Test func `unknown before the store has answered, signed_out without an item`() async throws {
        let world = World([try .plain()])
        #expect(try world.account().status.state == .unknown)
        await world.start()
        let status = try world.account().status
        #expect(status.state == .signedOut)
        #expect(status.expiresAt == nil)
    }

    @LoopActor @Test func `ready with all that is known, and nothing of it costs a call`() async throws {
        let world = await World.signedIn(try .plain(), age: 600) {
            $0.refreshedAt = HandClock.start.wall - 600
            $0.grantExpiresAt = HandClock.start.wall + 864_000
            $0.subject = "alice"
        }
        let reads = world.store.calls
        let status = try world.account().status
        #expect(status.state == .ready)
        #expect(status.expiresAt == HandClock.start.wall + 3000)
        #expect(status.refreshAt == HandClock.start.wall + 2685)
        #expect(status.refreshedAt == HandClock.start.wall - 600)
        #expect(status.grantExpiresAt == HandClock.start.wall + 864_000)
        #expect(status.subject == "alice")
        #expect(status.renewable == true)
        #expect(status.fault == nil)
        #expect(world.store.calls == reads)
    }

    @LoopActor @Test func `refreshing while a refresh is under way, retrying with its fault after it failed`()
        async throws
    {
        let world = await World.signedIn(try .plain(), age: 3595)
        let call = try world.get()
        #expect(try world.account().status.state == .refreshing)
        await world.transport.next().answer(.page(status: 502))
        _ = await call.ended()
        let status = try world.account().status
        #expect(status.state == .retrying)
        #expect(status.fault?.kind == .providerUnreachable)
        #expect(status.fault?.at == HandClock.start.wall)
        #expect(status.fault?.retryAt == HandClock.start.wall + 1)
        #expect(status.expiresAt == HandClock.start.wall + 5)
    }

    @LoopActor @Test func `throttled tells the time that the provider named, a network that came the sooner try (B9)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        var call = try world.get()
        let wait: HTTPHeaders = ["Retry-After": "600"]
        await world.transport.next().answer(.oauthError("slow_down", status: 429, headers: wait))
        _ = await call.ended()
        var status = try world.account().status
        #expect(status.state == .retrying && status.fault?.kind == .providerUnreachable)
        #expect(status.fault?.retryAt == HandClock.start.wall + 600 && status.refreshAt == HandClock.start.wall + 600)
        world.transport.script = { _ in .failure(.test(.resolve, mayHaveBeenSent: false)) }
        world.entropy.random = 0.99
        await world.clock.advance(by: .seconds(5400))
        call = try world.get()
        _ = await call.ended()
        await world.clock.advance(by: .seconds(10))
        #expect(try world.account().status.refreshAt ?? 0 > world.clock.now.wall + 60)
        world.broker.networkAppeared()
        status = try world.account().status
        #expect(status.refreshAt ?? .max <= world.clock.now.wall + 5)
        #expect(status.fault?.retryAt == status.refreshAt)
    }

    @LoopActor @Test func `what retry_at names is when the request is made, whatever a client is told`() async throws {
        let world = await World.signedIn(try .plain(), age: 3595)
        world.entropy.random = 0.9
        for _ in 0..<6 {
            let call = try world.get()
            await world.transport.next().answer(.page(status: 502))
            _ = await call.ended()
            let retryAt = try #require(try world.account().status.fault?.retryAt)
            // A client may have it tried sooner; by itself the daemon tries then, and not before.
            await world.clock.advance(by: .seconds(retryAt - world.clock.now.wall - 1))
            #expect(try world.account().status.state == .retrying)
            await world.clock.advance(by: .seconds(2))
            #expect(try world.account().status.state == .refreshing)
            await world.transport.next().answer(.page(status: 502))
            await world.clock.advance(by: .seconds(6))
        }
    }

    @LoopActor @Test func `a fault that only a person can mend has no retry_at`() async throws {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(.oauthError("invalid_client", status: 401))
        _ = await call.ended()
        let status = try world.account().status
        #expect(status.fault?.kind == .providerError)
        #expect(status.fault?.retryAt == nil)
        #expect(status.refreshAt == nil)
    }

    @LoopActor @Test func `login_required with its reason once the grant has ended`() async throws {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(.oauthError("invalid_grant"))
        _ = await call.ended()
        let status = try world.account().status
        #expect(status.state == .loginRequired)
        #expect(status.reason?.rawValue == "ended")
        #expect(status.refreshAt == nil)
    }

    @LoopActor @Test func `store_locked where the lock is in the way, and ready again after the unlock`() async throws {
        let world = await World.signedIn(try .plain())
        world.store.fault = MemoryCredentialStore.locked
        _ = await (try world.get()).ended()
        #expect(try world.account().status.state == .storeLocked)
        #expect(try world.account().status.fault?.kind == .storeLocked)
        world.store.fault = nil
        world.transport.script = { _ in .success(.token("A2")) }
        world.broker.storeSignalled()
        await world.clock.advance(by: .zero)
        #expect(try world.account().status.state == .ready)
    }

    @LoopActor @Test func `paused says so, stops the background and serves clients still`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        world.transport.script = { _ in .success(.token("A2")) }
        let stand = try MethodStand(world)
        defer { stand.end() }
        let client = try stand.client()
        _ = await client.call(.accountPause)
        await world.clock.advance(by: .seconds(4000))
        #expect(world.transport.requests.isEmpty)
        #expect(try world.account().status.paused == true)
        #expect(await (try world.get()).token() == "A2")
        await world.restart()
        #expect(try world.account().status.paused == true)
        _ = await client.call(.accountResume)
        await world.clock.advance(by: .seconds(4000))
        #expect(world.transport.requests.count == 2)
    }

    @LoopActor @Test func `thousands of accounts are paused with one write, and a pause that would not last is said`()
        async throws
    {
        let world = World(try (0..<5000).map { try .plain("a\($0)") })
        await world.start()
        let stand = try MethodStand(world)
        defer { stand.end() }
        let client = try stand.client()
        #expect(await client.call(.accountPause).kind == nil)
        #expect(world.state.writeCount == 1 && world.state.kept.paused.count == 5000)
        world.state.fault = LastingFault(message: "cannot write state.json: No space left on device")
        let error = await client.call(.accountResume, ["account": "a7"]).error
        #expect(error?.kind == .internalError)
        #expect(
            error?.message == "resumed, but only until tokend is restarted: cannot write state.json: "
                + "No space left on device"
        )
        #expect(try world.account("a7").status.paused != true && world.state.kept.paused.contains("a7"))
        world.state.fault = nil
        #expect(await client.call(.accountResume).kind == nil)
        #expect(world.state.kept.paused.isEmpty)
    }

    @LoopActor @Test(arguments: [Int64(3600), nil])
    func `a token is kept ready for plain requests where its end is known, and until the next change`(life: Int64?)
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(.token("A2", expiresIn: life))
        let token = try await call.ended().get().token
        let account = try world.account()
        let result = TokenGet.Result(
            account: "work",
            issuer: "",
            accessToken: token.accessToken,
            tokenType: "Bearer",
            scope: "mail",
            renewable: true
        )
        account.grant.keepReady(result, of: token)
        #expect((account.readyToken != nil) == (life != nil))
        account.pause(true)
        #expect(account.readyToken == nil)
    }

    @LoopActor @Test func `a person's refresh is not kept back by the clients' gap`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        for token in ["A2", "A3"] {
            let call = try world.get(.personal)
            await world.transport.next().answer(.token(token))
            #expect(await call.token() == token)
        }
    }

    @LoopActor @Test func `subscribers hear of each refresh, each failure with retry_at, and an end once`() async throws
    {
        let world = await World.signedIn(try .plain())
        let answers: [HTTPResponse] = [.token("A2", refresh: "R2"), .page(status: 502), .oauthError("invalid_grant")]
        for answer in answers {
            _ = try world.get(.init(minValid: 7200))
            await world.transport.next().answer(answer)
            await settle()
            await world.clock.advance(by: .seconds(2000))
        }
        let messages = world.log.events.compactMap { $0.message(at: 0) }.filter { $0.account != nil }
        #expect(messages.map(\.type) == [.tokenRefreshed, .refreshFailed, .loginRequired])
        #expect(messages[0].details["expires_at"]?.int64 == HandClock.start.wall + 3600)
        #expect(messages[1].details["kind"] == "provider_unreachable")
        #expect(messages[1].details["retry_at"]?.int64 != nil)
        #expect(messages[2].details["reason"] == "ended")
    }
}
