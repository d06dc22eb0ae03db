// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// An API that wants a stronger or more recent sign-in (RFC 9470).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct StepUpTests {
    private static let challenge =
        #"Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age="300""#

    private static func params(_ rejected: String? = "A1", _ more: JSONObject = [:]) -> JSONObject {
        var params = more
        params["challenge"] = .string(challenge)
        params["rejected"] = rejected.map { .string($0) }
        return params
    }

    @Test @LoopActor func `the client is told what the API wants, and nothing is refreshed (9470-1)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        for rejected in ["A1", nil] {
            let error = await stand.client.call(.tokenGet, Self.params(rejected)).error
            #expect(error?.kind == .loginRequired && error?.data["reason"] == "step_up")
            #expect(error?.data["acr_values"] == "gold silver" && error?.data["max_age"] == 300)
            #expect(error?.message.contains("tokenctl login work --acr-values 'gold silver' --max-age 300") == true)
        }
        #expect(stand.transport.refreshes.isEmpty && stand.world.browser.opened.isEmpty)
        #expect(try await stand.client.call(.tokenGet).get()["access_token"] == "A1")
    }

    @Test @LoopActor func `the person is asked with these values, once, and the new token served (9470-1)`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let waiting = stand.client.send(.tokenGet, Self.params("A1", ["interactive": true]))
        while stand.world.browser.opened.isEmpty { await stand.client.arrive() }
        let login = try await stand.start(["acr_values": "gold silver", "max_age": 300])
        #expect(login.query["acr_values"] == "gold silver" && login.query["max_age"] == "300")
        let page = stand.bringCode(login)
        let claims: JSONObject = ["acr": "silver", "auth_time": .integer(stand.clock.now.wall)]
        let token = try stand.provider.idToken(nonce: login.nonce, claims)
        await stand.transport.next().answer(.token("A2", refresh: "R2", ["id_token": .string(token)]))
        _ = await page.value
        #expect(try await stand.client.reply(to: waiting).get()["access_token"] == "A2")
        // The same refusal of the old token is behind us; that of the new one is not.
        #expect(try await stand.client.call(.tokenGet, Self.params()).get()["access_token"] == "A2")
        #expect(await stand.client.call(.tokenGet, Self.params("A2")).kind == .loginRequired)
        #expect(stand.transport.refreshes.isEmpty && stand.world.browser.opened.count == 1)
    }

    @Test @LoopActor func `a sign-in that is not what was asked for leaves the old grant (9470-1, OIDC-7)`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let old: JSONObject = ["acr": "bronze", "auth_time": .integer(stand.clock.now.wall - 1000)]
        for (asked, check) in [(["acr_values": "gold"], "acr"), (["max_age": 300], "auth_time")] as [(JSONObject, _)] {
            #expect(try await stand.signIn(asked, refresh: "R2", claims: old).error?.data["check"] == .string(check))
        }
        #expect(try await stand.client.call(.tokenGet).get()["access_token"] == "A1")
        #expect(stand.store.kept["work"]?.secret.reveal().contains("\"R1\"") == true)
    }

    @Test @LoopActor func `a token for one resource is refused like any other (9470-1, 8707-1)`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        let resource: JSONObject = ["resource": "https://api.example"]
        stand.transport.next(answer: .token("N1", refresh: "R2"))
        #expect(try await stand.client.call(.tokenGet, resource).get()["access_token"] == "N1")
        #expect(await stand.client.call(.tokenGet, Self.params("N1", resource)).kind == .loginRequired)
        #expect(stand.transport.refreshes.count == 1)
    }

    @Test(
        arguments: [
            "Bearer", #"Bearer error="invalid_token""#, "nonsense ,,,",
            #"Basic realm="insufficient_user_authentication""#,
        ]
    )
    @LoopActor func `any other challenge is an ordinary 401 (6750-3)`(challenge: String) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        try await stand.signIn()
        stand.transport.next(answer: .token("A2", refresh: "R2"))
        let params: JSONObject = ["rejected": "A1", "challenge": .string(challenge)]
        #expect(try await stand.client.call(.tokenGet, params).get()["access_token"] == "A2")
    }

    @Test func `what no command line could hold is left out`() {
        let quote = #"Bearer error="insufficient_user_authentication", acr_values="a'; rm", max_age="-1""#
        let stepUp = StepUp(challenge: quote)
        #expect(stepUp?.acrValues == nil && stepUp?.maxAge == nil)
        #expect(stepUp?.command(account: "work") == "tokenctl login work")
        let several = #"DPoP algs="ES256", Bearer error=insufficient_user_authentication, max_age=0"#
        #expect(StepUp(challenge: several)?.maxAge == 0)
    }
}
