// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Logins whose request is pushed to the provider (RFC 9126).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct PushedLoginTests {
    private static let demands: JSONObject = [
        "pushed_authorization_request_endpoint": "https://idp.example/par",
        "require_pushed_authorization_requests": true,
    ]

    /// A provider that answers each pushed request with a name of its own.
    @LoopActor private func stand(_ policy: PushPolicy = .auto, _ metadata: JSONObject = demands) async throws
        -> LoginStand
    {
        var account = try AccountConfiguration.openID()
        account.push = policy
        let stand = try await LoginStand([account])
        stand.provider.publish(metadata)
        stand.transport.script = { [weak stand] request in
            guard request.url.path == "/par", let stand else { return nil }
            let name = "urn:pushed:\(self.pushed(stand).count)"
            return .success(.json(["request_uri": .string(name), "expires_in": 60], status: 201))
        }
        return stand
    }

    @LoopActor private func pushed(_ stand: LoginStand) -> [FormParameters] {
        stand.transport.posts.filter { $0.url.path == "/par" }.map(\.form)
    }

    @Test @LoopActor func `the browser carries a name, and the provider has the request (9126-1)`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        let login = try await stand.start(["acr_values": "gold"])
        #expect(Set(login.query.map(\.name)) == ["tenant", "client_id", "request_uri"])
        #expect(login.query["request_uri"] == "urn:pushed:1")
        let form = try #require(pushed(stand).first)
        #expect(form["redirect_uri"] == login.redirectURI && form["acr_values"] == "gold")
        #expect(form["code_challenge_method"] == "S256" && form["client_id"] == "app")
        let page = stand.browse(login, ["code": "C1", "state": form["state"] ?? ""])
        let token = try stand.provider.idToken(nonce: form["nonce"], ["acr": "gold"])
        await stand.transport.next().answer(.token("A1", refresh: "R1", ["id_token": .string(token)]))
        _ = await page.value
        #expect(await stand.wait(login).kind == nil)
        #expect(stand.exchanges.first?["redirect_uri"] == login.redirectURI)
    }

    @Test @LoopActor func `each one who joins gets a name of their own, and an old one is made anew (9126-1)`()
        async throws
    {
        let stand = try await stand()
        defer { stand.end() }
        let first = try await stand.start()
        await stand.clock.advance(by: .seconds(120))
        let second = try await stand.start()
        #expect(first.id == second.id && first.redirectURI == second.redirectURI)
        #expect(second.query["request_uri"] == "urn:pushed:2")
        #expect(Set(pushed(stand).map { $0["state"] }).count == 1)
        #expect(stand.world.redirects.opened.count == 1)
    }

    @Test @LoopActor func `the short start page gives each browser a name of its own, however late (9126-1)`()
        async throws
    {
        let stand = try await stand()
        defer { stand.end() }
        let login = try await stand.start()
        let path = try WebURL(login.startURL).path
        await stand.clock.advance(by: .seconds(120))
        for name in ["urn:pushed:2", "urn:pushed:3"] {
            guard case .leadOn(let url) = await stand.browse(login, path: path).value else {
                Issue.record("no way on")
                continue
            }
            #expect(url.queryParameters?["request_uri"] == name)
        }
        #expect(Set(pushed(stand).map { $0["state"] }).count == 1)
    }

    @Test(
        arguments: [
            (.oauthError("invalid_scope"), .providerError), (.json(["request_uri": "urn:x"]), .providerError),
            (.page(status: 503), .providerUnreachable), (.page(status: 200), .providerError),
        ] as [(HTTPResponse, ErrorKind)]
    )
    @LoopActor func `a refusal ends the attempt before a browser opens (9126-2)`(
        answer: HTTPResponse,
        kind: ErrorKind
    ) async throws {
        let stand = try await stand()
        defer { stand.end() }
        stand.transport.script = { $0.url.path == "/par" ? .success(answer) : nil }
        let error = await stand.client.call(.loginStart, ["account": "work", "open_browser": true]).error
        #expect(error?.kind == kind && error?.message.contains("idp.example") == true)
        if answer.status == 400 { #expect(error?.data["oauth_error"] == "invalid_scope") }
        #expect(stand.world.browser.opened.isEmpty)
        #expect(stand.world.redirects.opened.allSatisfy { !$0.isOpen })
        #expect(try stand.world.account().login == nil)
    }

    @Test @LoopActor func `an account can ask for it or do without (9126-1)`() async throws {
        let offers: JSONObject = ["pushed_authorization_request_endpoint": "https://idp.example/par"]
        for (policy, count) in [(PushPolicy.auto, 0), (.never, 0), (.always, 1)] {
            let stand = try await stand(policy, offers)
            defer { stand.end() }
            let login = try await stand.start()
            #expect(pushed(stand).count == count && (login.query["request_uri"] != nil) == (count == 1))
        }
        let stand = try await stand(.never)
        defer { stand.end() }
        #expect(await stand.client.call(.loginStart, ["account": "work"]).kind == .providerError)
    }
}
