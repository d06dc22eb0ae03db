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

/// Tokens for the client itself that are for less than the account's own.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct OwnTokenPurposeTests {
    @LoopActor private func world() async throws -> World {
        let account = try OwnTokenTests.bot { $0.scopes = ["mail", "mail.read"] }
        let world = World([account])
        world.give(.clientSecret, "s3cr3t", to: account)
        await world.start()
        return world
    }

    @LoopActor @Test func `each combination is fetched by a request of its own (6749-16, 8707-1)`() async throws {
        let world = try await world()
        let read = try world.get(.of(.read))
        let first = await world.transport.next()
        #expect(first.form["grant_type"] == "client_credentials" && first.form["scope"] == "mail.read")
        first.answer(.token("M1"))
        #expect(try await read.ended().get().token.scope == ["mail.read"])
        let calendar = try world.get(.of(.calendar))
        let second = await world.transport.next()
        #expect(second.form["scope"] == "mail mail.read" && second.form["resource"] == "https://calendar.example")
        second.answer(.token("C1"))
        #expect(await calendar.token() == "C1")
        let own = try world.get()
        await world.transport.next().answer(.token("A1"))
        #expect(await own.token() == "A1")
        #expect(await (try world.get(.of(.read))).token() == "M1")
        #expect(world.transport.requests.count == 3)
    }

    @LoopActor @Test func `a wider answer is not served, and a refusal is that one's alone (8707-2)`() async throws {
        let world = try await world()
        let read = try world.get(.of(.read))
        await world.transport.next().answer(.token("M1", ["scope": "mail mail.read"]))
        #expect(await read.failure()?.kind == .providerError)
        let calendar = try world.get(.of(.calendar))
        await world.transport.next().answer(.oauthError("invalid_target"))
        #expect(await calendar.failure()?.data["oauth_error"] == "invalid_target")
        let own = try world.get()
        await world.transport.next().answer(.token("A1"))
        #expect(await own.token() == "A1")
    }
}
