// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing

@testable import Broker

@Suite(.onLoop, .timeLimit(.minutes(1))) struct RefreshTests {
    @LoopActor @Test func `a held token is served at once and asks nobody (engine rule 2)`() async throws {
        let world = World([try .plain()])
        world.store.put(GrantRecord.signedIn(try .plain(), at: world.clock.now).item(for: try .plain()))
        await world.start()
        let call = try world.get()
        #expect(try call.answer?.get().token.accessToken == Secret("A1"))
        #expect(world.transport.requests.isEmpty)
    }

    @LoopActor @Test func `a token that is over is renewed first (engine rule 4)`() async throws {
        let world = World([try .plain()])
        let old = GrantRecord.signedIn(try .plain(), at: world.clock.now, age: 4000)
        world.store.put(old.item(for: try .plain()))
        await world.start()
        let call = try world.get()
        #expect(call.answer == nil)
        let request = await world.transport.next()
        #expect(request.form["refresh_token"] == "R1")
        request.answer(.token("A2", refresh: "R2"))
        #expect(await call.token() == "A2")
        #expect(world.store.member("refresh_token")?.string == "R2")
    }
}
