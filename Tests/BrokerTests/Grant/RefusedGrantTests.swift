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

/// Grants that a provider refuses to renew without saying that they are over: the user is wanted, the refresh token kept.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct RefusedGrantTests {
    private static let offNetwork: JSONObject = [
        "error": "invalid_grant", "suberror": "message_only", "error_codes": [53003],
        "error_description": "AADSTS53003: Access has been blocked by Conditional Access policies.",
    ]

    /// Signed in with a token that is over; the provider has refused for the network that the machine is in.
    @LoopActor private func refused(age: Int64 = 3600) async throws -> World {
        let world = await World.signedIn(try .plain(), age: age)
        let call = try world.get(.fresh)
        await world.transport.next().answer(.json(Self.offNetwork, status: 400))
        let failure = await call.failure()
        #expect(failure?.kind == .loginRequired && failure?.data["reason"] == "refused")
        #expect(failure?.message.contains("blocked by Conditional Access") == true)
        return world
    }

    @LoopActor
    @Test(
        arguments: [
            offNetwork, ["error": "access_denied"], ["error": "interaction_required"], ["error": "login_required"],
            ["error": "consent_required"], ["error": "account_selection_required"], ["error": "mfa_required"],
            ["error": "invalid_grant", "error_codes": [50076], "suberror": "basic_action"],
            ["error": "invalid_grant", "error_description": "AADSTS530003: Your device is required to be managed."],
            ["error": "invalid_grant", "error_subtype": "invalid_rapt"],
        ] as [JSONObject]
    )
    func `policy wants the user at once, and the refresh token stays`(body: JSONObject) async throws {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        await world.transport.next().answer(.json(body, status: 400))
        let failure = await call.failure()
        #expect(failure?.kind == .loginRequired && failure?.data["reason"] == "refused")
        #expect(failure?.data["oauth_error"] == body["error"])
        await settle()
        #expect(world.store.member("refresh_token") == "R1" && world.log.endings == [.refused])
        // Nothing is tried by itself: nobody has done anything about it.
        await world.clock.advance(by: .seconds(86_400))
        #expect(world.transport.refreshes.count == 1)
        #expect(try world.account().status.state == .loginRequired)
    }

    @LoopActor @Test func `a restart still says why, with the provider's words, and asks nothing`() async throws {
        let world = try await refused()
        await settle()
        #expect(world.store.member("ended")?.object?["reason"] == "refused")
        await world.restart()
        await world.clock.advance(by: .seconds(200_000))
        let failure = await (try world.get()).failure()
        #expect(failure?.data["reason"] == "refused" && failure?.data["oauth_error"] == "invalid_grant")
        #expect(failure?.message.contains("blocked by Conditional Access") == true)
        let status = try world.account().status
        #expect(status.state == .loginRequired && status.reason == .refused)
        #expect(status.fault?.message.contains("AADSTS53003") == true)
        #expect(world.transport.refreshes.count == 1 && world.store.member("refresh_token") == "R1")
    }

    @LoopActor @Test(arguments: [false, true])
    func `it is tried once when a network comes, and served once that lets it (restart)`(restarts: Bool) async throws {
        let world = try await refused()
        await settle()
        if restarts { await world.restart() }
        // Another network that will not do either: one try, and no second notice.
        await world.clock.advance(by: .seconds(60))
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(5))
        await world.transport.next().answer(.json(Self.offNetwork, status: 400))
        await world.clock.advance(by: .seconds(7200))
        #expect(world.transport.refreshes.count == 2 && world.log.endings == [.refused])
        #expect(await (try world.get()).failure()?.data["reason"] == "refused")
        // The office's.
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(5))
        await world.transport.next().answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(await (try world.get()).token() == "A2")
        #expect(world.store.member("ended") == nil && world.store.member("refresh_token") == "R2")
        #expect(try world.account().status.state == .ready)
    }

    @LoopActor @Test func `a refresh token that does not rotate is not called refused after it was taken`() async throws
    {
        let world = await World.signedIn(try .plain()) { $0.rotates = false }
        let call = try world.get()
        await world.transport.next().answer(.json(Self.offNetwork, status: 400))
        _ = await call.ended()
        await world.clock.advance(by: .seconds(60))
        #expect(world.store.member("ended") != nil)
        world.transport.script = { _ in .success(.token("A2")) }
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(5))
        #expect(await (try world.get()).token() == "A2")
        #expect(world.store.member("ended") == nil && world.store.member("refresh_token") == "R1")
    }

    @LoopActor @Test func `a network that comes and goes makes no loop of it`() async throws {
        let world = try await refused()
        world.transport.script = { _ in .success(.json(Self.offNetwork, status: 400)) }
        for _ in 0..<600 {
            world.broker.networkAppeared()
            await world.clock.advance(by: .seconds(1))
        }
        #expect((2...11).contains(world.transport.refreshes.count))
    }

    @LoopActor @Test func `a network that does not lead there yet is no try`() async throws {
        let world = try await refused()
        await world.clock.advance(by: .seconds(60))
        world.transport.script = { _ in .failure(.test(.resolve, mayHaveBeenSent: false)) }
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(20))
        world.transport.script = { _ in .success(.token("A2")) }
        await world.clock.advance(by: .seconds(900))
        #expect(await (try world.get()).token() == "A2")
    }

    @LoopActor @Test func `the held token is served to its end, also after a restart`() async throws {
        let world = try await refused(age: 600)
        #expect(await (try world.get()).token() == "A1")
        await settle()
        await world.restart()
        #expect(await (try world.get()).token() == "A1")
        await world.clock.advance(by: .seconds(3600))
        #expect(await (try world.get()).failure()?.data["reason"] == "refused")
        #expect(world.transport.refreshes.count == 1)
    }

    @LoopActor @Test func `a user's own word tries it at once`() async throws {
        let world = try await refused()
        await world.clock.advance(by: .seconds(10))
        let call = try world.get(.personal)
        await world.transport.next().answer(.token("A2"))
        #expect(await call.token() == "A2")
        #expect(await (try world.get()).token() == "A2")
    }

    @LoopActor @Test func `once the provider says that it is over, its secrets go`() async throws {
        let world = try await refused()
        await world.clock.advance(by: .seconds(60))
        world.broker.networkAppeared()
        await world.clock.advance(by: .seconds(5))
        await world.transport.next().answer(.oauthError("invalid_grant"))
        await settle()
        #expect(await (try world.get()).failure()?.data["reason"] == "ended")
        #expect(world.store.member("refresh_token") == nil && world.log.endings == [.refused, .ended])
    }

    @LoopActor @Test func `a logout revokes it, and a reload tries it once more`() async throws {
        let world = try await refused()
        world.transport.script = { request in
            .success(request.url.path == "/revoke" ? HTTPResponse(status: 200) : .json(Self.offNetwork, status: 400))
        }
        world.reconfigure(try .plain())
        await world.clock.advance(by: .seconds(60))
        #expect(world.transport.refreshes.count == 2)
        _ = await (try world.account()).logout(revoke: true, endSession: false)
        #expect(world.transport.posts.last { $0.url.path == "/revoke" } != nil)
        #expect(world.store.kept.isEmpty)
    }

    @LoopActor @Test func `another refresh token in the store than the refused one takes its place (B3)`() async throws
    {
        let world = await World.signedIn(try .plain())
        let call = try world.get()
        let exchange = await world.transport.next()
        var newer = GrantRecord.signedIn(try .plain(), at: world.clock.now, access: "B1")
        newer.refreshToken = Secret("R9")
        world.store.put(newer.item(for: try .plain()))
        exchange.answer(.json(Self.offNetwork, status: 400))
        _ = await call.ended()
        await settle()
        #expect(await (try world.get()).token() == "B1")
        #expect(world.store.member("refresh_token") == "R9" && world.store.member("ended") == nil)
    }

    // MARK: In words that are not known

    @LoopActor
    @Test(
        arguments: [
            (["status": 400, "message": "Something about your account"], "Something about your account"),
            (["error": "invalid_request", "error_description": "no"], "no"),
            (["error": "quota_exceeded"], "quota_exceeded"),
            (["error": "unauthorized_client"], "unauthorized_client"), (["status": "BAD_THING"], "BAD_THING"),
        ] as [(JSONObject, String)]
    )
    func `the same refusal three times over a quarter of an hour wants the user, in its words`(
        body: JSONObject,
        words: String
    ) async throws {
        let world = await World.signedIn(try .plain())
        world.transport.script = { _ in .success(.json(body, status: 400)) }
        await world.clock.advance(by: .seconds(600))
        #expect(await (try world.get()).failure()?.kind == .providerError)
        #expect(world.log.endings.isEmpty && world.transport.refreshes.count >= 3)
        await world.clock.advance(by: .seconds(3000))
        let failure = await (try world.get()).failure()
        #expect(failure?.kind == .loginRequired && failure?.data["reason"] == "refused")
        #expect(failure?.message.contains(words) == true)
        #expect(world.log.endings == [.refused] && world.store.member("refresh_token") == "R1")
        let count = world.transport.refreshes.count
        await world.clock.advance(by: .seconds(86_400))
        #expect(world.transport.refreshes.count == count)
    }

    @LoopActor @Test func `while the access token holds nobody is signed out`() async throws {
        let world = await World.signedIn(try .plain(), age: 600)
        world.transport.script = { _ in .success(.oauthError("quota_exceeded")) }
        _ = try world.get(.fresh)
        await world.clock.advance(by: .seconds(2950))
        #expect(world.transport.refreshes.count >= 3 && world.log.endings.isEmpty)
        #expect(await (try world.get()).token() == "A1")
        await world.clock.advance(by: .seconds(1800))
        #expect(world.log.endings == [.refused])
    }

    @LoopActor
    @Test(
        arguments: [
            .page(status: 400), .page(status: 403), .json(["blocked": true], status: 403),
            .json(["message": "proxy"], status: 407), .oauthError("invalid_client", status: 401),
            .json(["error": "access_denied", "error_description": "Unauthorized"], status: 401), .page(status: 404),
            .json(["error": "invalid_grant"], status: 429),
            .json(["error": "invalid_grant", "error_codes": [50196]], status: 400),
        ] as [HTTPResponse]
    )
    func `a firewall's page, a client's fault and a busy provider sign nobody out`(response: HTTPResponse) async throws
    {
        let world = await World.signedIn(try .plain())
        world.transport.script = { _ in .success(response) }
        for _ in 0..<60 {
            _ = try world.get()
            await world.clock.advance(by: .seconds(120))
        }
        #expect(world.transport.refreshes.count >= 3)
        #expect(world.log.endings.isEmpty && world.store.member("refresh_token") == "R1")
    }

    @LoopActor @Test func `refusals that differ are not the same refusal`() async throws {
        let world = await World.signedIn(try .plain())
        world.transport.script = { [transport = world.transport] _ in
            .success(.oauthError("trouble_\(transport.refreshes.count % 2)"))
        }
        await world.clock.advance(by: .seconds(7200))
        #expect(world.transport.refreshes.count > 3 && world.log.endings.isEmpty)
    }

    @LoopActor @Test func `a wrong secret at Auth0 says so, and no login is asked for`() async throws {
        var account = try AccountConfiguration.plain()
        account.clientAuthentication = .none
        let world = await World.signedIn(account)
        let call = try world.get()
        let body: JSONObject = ["error": "access_denied", "error_description": "Unauthorized"]
        await world.transport.next().answer(.json(body, status: 401))
        let failure = await call.failure()
        #expect(failure?.kind == .providerError && failure?.message.contains("tokenctl account secret work") == true)
    }
}
