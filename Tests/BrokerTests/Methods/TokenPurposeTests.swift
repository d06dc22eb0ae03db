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

/// `narrow`, `resource` and `audience` of `token.get`, over the socket.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct TokenPurposeTests {
    /// A grant of two scopes, its token a minute old, for a resource that the account's file names.
    @LoopActor private func stand() async throws -> (MethodStand, MethodClient) {
        var account = try AccountConfiguration.plain()
        account.resource = ["https://main.example"]
        let world = await World.signedIn(account, age: 60) {
            $0.scope = ["mail", "mail.read"]
            $0.token?.scope = ["mail", "mail.read"]
            $0.token?.idToken = Secret("ID")
            $0.token?.idTokenExpiresAt = 1
        }
        let stand = try MethodStand(world)
        return (stand, try stand.client())
    }

    @LoopActor @Test func `a token is told as it is: its scope, its end, the person's ID token`() async throws {
        let (stand, client) = try await stand()
        defer { stand.end() }
        let id = client.send(
            .tokenGet,
            ["scope": "mail.read", "narrow": true, "resource": ["https://a.example", "urn:b"], "id_token": true]
        )
        let exchange = await stand.world.transport.next()
        #expect(exchange.form["scope"] == "mail.read")
        #expect(exchange.form.values(of: "resource") == ["https://a.example", "urn:b"])
        exchange.answer(.token("N1", expiresIn: 600, refresh: "R2", ["instance_url": "https://i.example"]))
        let result = try TokenGet.Result(json: await client.reply(to: id).get())
        #expect(result.accessToken == Secret("N1") && result.scope == "mail.read")
        #expect(result.expiresIn == 600 && result.expiresAt == stand.world.clock.now.wall + 600)
        #expect(result.renewable && result.refreshed && result.idToken == Secret("ID"))
        #expect(result.extra == ["instance_url": "https://i.example"])
        let again = await client.call(
            .tokenGet,
            ["scope": "mail.read", "narrow": true, "resource": ["urn:b", "https://a.example"]]
        )
        #expect(again.value?["access_token"] == "N1" && again.value?["refreshed"] == false)
        #expect(stand.world.transport.requests.count == 1)
    }

    @LoopActor @Test func `what the account's file names is the account's own token (8707-1)`() async throws {
        let (stand, client) = try await stand()
        defer { stand.end() }
        let result = await client.call(.tokenGet, ["resource": "https://main.example", "narrow": false])
        #expect(result.value?["access_token"] == "A1")
        #expect(stand.world.transport.requests.isEmpty)
    }

    @LoopActor @Test func `a read of another token leaves the account's own at hand`() async throws {
        let (stand, client) = try await stand()
        defer { stand.end() }
        stand.world.transport.next(answer: .token("F1"))
        #expect(await client.call(.tokenGet, ["audience": "files"]).value?["access_token"] == "F1")
        #expect(await client.call(.tokenGet).value?["access_token"] == "A1")
        let ready = try #require(try stand.world.account().readyToken)
        #expect(await client.call(.tokenGet, ["audience": "files"]).value?["access_token"] == "F1")
        #expect(try stand.world.account().readyToken === ready)
        #expect(await client.call(.tokenGet).value?["access_token"] == "A1")
    }

    @LoopActor
    @Test(
        arguments: [
            (["narrow": true], "scope"), (["narrow": true, "scope": " "], "scope"), (["resource": []], "resource"),
            (["resource": "calendar"], "resource"), (["resource": "https://a.example/#x"], "resource"),
            (["resource": ["https://a.example", "/x"]], "resource"), (["audience": ""], "audience"),
            (["resource": .string("urn:" + String(repeating: "x", count: 2045))], "resource"),
            (["audience": .string(String(repeating: "x", count: 2049))], "audience"),
            (["resource": .array((0...16).map { .string("urn:\($0)") })], "resource"),
        ] as [(JSONObject, String)]
    )
    func `what says nothing, or what no provider could take, is refused by name (8707-1)`(
        params: JSONObject,
        member: String
    ) async throws {
        let (stand, client) = try await stand()
        defer { stand.end() }
        let error = await client.call(.tokenGet, params).error
        #expect(error?.kind == .invalidParams && error?.data["member"] == .string(member))
        #expect(stand.world.transport.requests.isEmpty)
    }

    @LoopActor @Test func `an application's own token is one, and another is refused by name`() throws {
        var account = try AccountConfiguration.plain()
        account.exchange = ApplicationExchange(url: TestIssuer.nowhere)
        var parameters = TokenGet.Parameters()
        #expect(try TokenDemand(parameters, of: account).variant == nil)
        parameters.audience = "api"
        let refused = #expect(throws: ProtocolError.self) { try TokenDemand(parameters, of: account) }
        #expect(refused?.kind == .invalidParams && refused?.data["member"] == "audience")
    }

    @LoopActor @Test func `beyond the grant nothing is asked of the provider (6749-16)`() async throws {
        let (stand, client) = try await stand()
        defer { stand.end() }
        let error = await client.call(.tokenGet, ["scope": "mail.read files", "narrow": true]).error
        #expect(error?.kind == .insufficientScope && error?.data["granted"] == "mail mail.read")
        #expect(stand.world.transport.requests.isEmpty)
    }
}
