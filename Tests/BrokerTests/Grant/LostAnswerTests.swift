// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// A refresh that was sent, and whose answer did not come back.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LostAnswerTests {
    @LoopActor @Test(arguments: [TransportError.Code.interrupted, .timeout])
    func `a lost answer is sent for once more, at once, with the same token (engine rule 6, B4)`(
        code: TransportError.Code
    ) async throws {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().fail(code, mayHaveBeenSent: true)
        let second = await world.transport.next()
        #expect(second.form["refresh_token"] == "R1")
        #expect(world.clock.now == HandClock.start)
        second.answer(.token("A2", refresh: "R2"))
        #expect(await call.token() == "A2")
        #expect(world.transport.refreshes.count == 2)
        #expect(world.store.writeCount == 2)
    }

    @LoopActor @Test func `an answer that was cut off is a lost one (engine rule 6)`() async throws {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(
            HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array(#"{"access_tok"#.utf8))
        )
        await world.transport.next().answer(.token("A2", refresh: "R2"))
        #expect(await call.token() == "A2")
    }

    /// A whole answer.
    private static func whole(_ text: String) -> HTTPResponse {
        let body = Array(text.utf8)
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": "application/json", "Content-Length": String(body.count)],
            body: body
        )
    }

    @LoopActor @Test func `a whole answer that cannot be read is sent for by back-off, with its refresh token`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(Self.whole(#"{"access_token":"A2","refresh_token":"R2","x":nope}"#))
        let failure = await call.failure()
        #expect(failure?.kind == .providerError && failure?.message.contains("(at byte 47)") == true)
        #expect(failure?.message.contains("R2") == false)
        #expect(world.transport.refreshes.count == 1)
        #expect(world.store.member("refresh_token")?.string == "R2" && world.store.member("pending") == nil)
        await world.clock.advance(by: .seconds(5))
        let second = await world.transport.next()
        #expect(second.form["refresh_token"] == "R2")
        second.answer(.token("A3", refresh: "R3"))
        await settle()
        #expect(try await world.get().token() == "A3")
    }

    @LoopActor @Test(arguments: [#"{"access_token":"A2","x":nope}"#, ""])
    func `one without a refresh token in it may have spent the old one, and is not sent for at once`(text: String)
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(Self.whole(text))
        #expect(await call.failure()?.kind == .providerError)
        #expect(world.transport.refreshes.count == 1 && world.store.member("pending") != nil)
        await world.clock.advance(by: .seconds(5))
        await world.transport.next().answer(.oauthError("invalid_grant"))
        await settle()
        #expect(world.log.endings == [.lostRotation])
    }

    @LoopActor @Test(arguments: [TransportError.Code.tooLarge, .encoding])
    func `an answer that came and is of no use is not sent for again at once`(code: TransportError.Code) async throws {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().fail(code, mayHaveBeenSent: true)
        #expect(await call.failure()?.kind == .providerUnreachable)
        #expect(world.transport.refreshes.count == 1 && world.store.member("pending") != nil)
    }

    @LoopActor @Test(arguments: [TransportError.Code.resolve, .connect, .tls, .proxy])
    func `what certainly was not sent is not sent again at once (engine rule 6, B5)`(code: TransportError.Code)
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().fail(code, mayHaveBeenSent: false)
        #expect(await call.failure()?.kind == .providerUnreachable)
        #expect(world.transport.refreshes.count == 1)
        #expect(world.store.member("refresh_token")?.string == "R1")
    }

    @LoopActor @Test func `lost twice it is passing; each later try sends once, and the mark stays (engine rule 6)`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().fail(.timeout, mayHaveBeenSent: true)
        await world.transport.next().fail(.timeout, mayHaveBeenSent: true)
        #expect(await call.failure()?.kind == .providerUnreachable)
        #expect(world.store.member("pending") != nil)
        await world.clock.advance(by: .seconds(5))
        await world.transport.next().fail(.timeout, mayHaveBeenSent: true)
        await settle()
        #expect(world.transport.refreshes.count == 3)
        #expect(world.store.writeCount == 1)
    }

    @LoopActor @Test func `a token that was spent by a lost answer ends as lost_rotation (engine rule 5)`() async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().fail(.interrupted, mayHaveBeenSent: true)
        await world.transport.next().answer(.oauthError("invalid_grant"))
        #expect(await call.failure()?.data["reason"] == "lost_rotation")
        #expect(world.log.endings == [.lostRotation])
    }

    @LoopActor @Test func `the refusal of a token that was never spent is the provider's end, whatever failed before`()
        async throws
    {
        let world = await World.signedIn(try .plain())
        let first = try world.get()
        await world.transport.next().fail(.connect, mayHaveBeenSent: false)
        _ = await first.ended()
        await world.clock.advance(by: .seconds(5))
        await world.transport.next().answer(.oauthError("temporarily_unavailable", status: 503))
        await world.clock.advance(by: .seconds(10))
        await world.transport.next().answer(.oauthError("invalid_grant"))
        await settle()
        #expect(world.log.endings == [.ended])
    }
}
