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

/// A provider that asks to be left alone is left alone, whatever it was asked for when it said so.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct CoolDownTests {
    private static let busy = HTTPResponse.page(status: 429, headers: ["Retry-After": "120"])

    @Test @LoopActor func `what a code exchange is told holds for the renewals, too (B9)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let login = try await stand.start()
        let coming = stand.bringCode(login)
        stand.transport.next(answer: Self.busy)
        _ = await coming.value
        #expect(await stand.wait(login).kind == .providerUnreachable)
        let error = await stand.client.call(.tokenGet, ["fresh": true]).error
        #expect(error?.kind == .providerUnreachable && error?.data["retry_at"]?.int64 == stand.clock.now.wall + 120)
        #expect(stand.transport.refreshes.isEmpty)
        await stand.clock.advance(by: .seconds(121))
        stand.transport.next(answer: .token("A2", refresh: "R2"))
        #expect(await stand.client.call(.tokenGet, ["fresh": true]).value?["access_token"] == "A2")
    }

    @Test(arguments: [busy, .page(status: 503, headers: ["Retry-After": "120"])])
    @LoopActor func `so does what a device login's poll is told, unless it is about the poll (B9)`(
        answer: HTTPResponse
    ) async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        _ = try await stand.started()
        let directory = stand.stand.world.broker.directory
        let endpoint = try WebURL("https://idp.example/token")
        let headers: HTTPHeaders = ["Retry-After": "10"]
        await stand.poll(after: 5)?.answer(.oauthError("authorization_pending", status: 429, headers: headers))
        await settle()
        #expect(directory.secondsToWait(for: endpoint) == nil)
        await stand.poll(after: 10)?.answer(answer)
        await settle()
        #expect(directory.secondsToWait(for: endpoint) == 120)
    }

    @Test @LoopActor func `what a renewal is told holds for all, in the words of a device login, too (B9)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        let busy = HTTPResponse.oauthError("slow_down", status: 429, headers: ["Retry-After": "120"])
        await world.transport.next().answer(busy)
        #expect(await call.failure()?.kind == .providerUnreachable)
        #expect(world.broker.directory.secondsToWait(for: try WebURL("https://idp.example/token")) == 120)
    }

    @Test @LoopActor func `so does what the trial of an import is told (B9)`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        let account = try world.account()
        let task = Task.onLoop {
            do throws(ProtocolError) {
                _ = try await account.importGrant(Secret("I1"), scope: nil)
                return ErrorKind?.none
            } catch {
                return error.kind
            }
        }
        await world.transport.next().answer(Self.busy)
        #expect(await task.value == .providerUnreachable)
        let failure = await (try world.get(TokenDemand(fresh: true))).failure()
        #expect(failure?.kind == .providerUnreachable)
        #expect(failure?.data["retry_at"]?.int64 == world.clock.now.wall + 120)
        #expect(world.transport.requests.count { $0.method == .post } == 1)
    }
}
