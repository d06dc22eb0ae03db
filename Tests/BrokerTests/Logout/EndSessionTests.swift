// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// The provider's own logout, after the local one (OpenID Connect RP-Initiated Logout 1.0).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct EndSessionTests {
    private static let endpoint: JSONObject = ["end_session_endpoint": "https://idp.example/logout?a=1"]

    /// An account where somebody is signed in, at a provider with a logout of its own.
    @LoopActor private func stand(returning uri: String? = nil, _ metadata: JSONObject = endpoint) async throws
        -> LoginStand
    {
        var account = try AccountConfiguration.openID()
        account.postLogoutRedirect = try uri.map { try RedirectURI($0) }
        let stand = try await LoginStand([account])
        stand.provider.publish(metadata)
        try await stand.signIn()
        return stand
    }

    @LoopActor private func logout(_ stand: LoginStand) async throws -> JSONObject {
        try await stand.client.call(.logout, ["account": "work", "end_session": true]).get()
    }

    @LoopActor private func browse(_ stand: LoginStand, _ text: String, headers: HTTPHeaders = [:]) async throws
        -> RedirectAnswer
    {
        let url = try WebURL(text)
        var headers = headers
        headers["Host"] = "\(url.host):\(url.port ?? 0)"
        let listener = try #require(stand.world.redirects.opened.last)
        return await listener.receive(
            RedirectRequest(method: .get, path: url.path, query: url.query, headers: headers)
        )
    }

    @Test @LoopActor func `a page of this machine leads on once, and back to one that says so (LOGOUT-1)`() async throws
    {
        let stand = try await stand(returning: "http://127.0.0.1/signed-out")
        defer { stand.end() }
        let result = try await logout(stand)
        #expect(result["revoked"] == true && stand.store.kept["work"] == nil)
        let page = try #require(result["end_session_url"]?.string)
        #expect(page.hasPrefix("http://127.0.0.1:") && !page.contains("?"))
        #expect(try await browse(stand, page, headers: ["Sec-Purpose": "prefetch"]) == .refused(status: 403))
        guard case .leadOn(let url) = try await browse(stand, page) else {
            Issue.record("it led nowhere")
            return
        }
        let query = try #require(url.queryParameters)
        #expect(url.path == "/logout" && query["a"] == "1" && query["client_id"] == "app")
        #expect(query["id_token_hint"]?.split(separator: ".").count == 3)
        let back = try #require(query["post_logout_redirect_uri"])
        let listener = try #require(stand.world.redirects.opened.last)
        #expect(back == "http://127.0.0.1:\(listener.port)/signed-out")
        #expect(try await browse(stand, page) == .refused(status: 404))
        #expect(listener.isOpen)
        #expect(try await browse(stand, back) == .signedOut(account: "work", provider: "idp.example"))
        #expect(!listener.isOpen)
    }

    @Test(arguments: ["", "?state=wrong", "?state=a&state=b&error=x"])
    @LoopActor func `a wrong or missing state on the way back is tolerated (LOGOUT-1)`(query: String) async throws {
        let stand = try await stand(returning: "http://127.0.0.1:8400/signed-out")
        defer { stand.end() }
        let page = try #require(try await logout(stand)["end_session_url"]?.string)
        #expect(page.hasPrefix("http://127.0.0.1:8400/"))
        // Nobody has gone anywhere yet, so nobody comes back.
        #expect(try await browse(stand, "http://127.0.0.1:8400/signed-out" + query) == .refused(status: 404))
        _ = try await browse(stand, page)
        #expect(
            try await browse(stand, "http://127.0.0.1:8400/signed-out" + query)
                == .signedOut(account: "work", provider: "idp.example")
        )
    }

    @Test @LoopActor func `where nothing is registered the browser is sent nowhere afterwards`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        let page = try #require(try await logout(stand)["end_session_url"]?.string)
        guard case .leadOn(let url) = try await browse(stand, page) else {
            Issue.record("it led nowhere")
            return
        }
        #expect(url.queryParameters?["post_logout_redirect_uri"] == nil && url.queryParameters?["state"] == nil)
        #expect(stand.world.redirects.opened.last?.isOpen == false)
    }

    @Test @LoopActor func `the port is open for a minute, and for two more at the provider`() async throws {
        let stand = try await stand(returning: "http://127.0.0.1/signed-out")
        defer { stand.end() }
        _ = try await logout(stand)
        let first = try #require(stand.world.redirects.opened.last)
        await stand.clock.advance(by: .seconds(59))
        #expect(first.isOpen)
        await stand.clock.advance(by: .seconds(2))
        #expect(!first.isOpen)
        let page = try #require(try await logout(stand)["end_session_url"]?.string)
        let second = try #require(stand.world.redirects.opened.last)
        await stand.clock.advance(by: .seconds(59))
        _ = try await browse(stand, page)
        await stand.clock.advance(by: .seconds(119))
        #expect(second.isOpen)
        await stand.clock.advance(by: .seconds(2))
        #expect(!second.isOpen)
    }

    @Test @LoopActor func `the local side never waits for it, and what fails is said (LOGOUT-1)`() async throws {
        let stand = try await stand([:])
        defer { stand.end() }
        var result = try await logout(stand)
        #expect(result["end_session_url"] == nil)
        #expect(result["end_session_fault"]?.string?.contains("idp.example has no sign-out page") == true)
        #expect(result["revoked"] == true && stand.store.kept["work"] == nil)
        stand.provider.publish(Self.endpoint)
        stand.world.broker.reload()
        stand.world.redirects.fault = RedirectFault(message: "no port is free")
        result = try await logout(stand)
        #expect(result["end_session_fault"]?.string?.contains("no port is free") == true)
        // Nobody is signed in any more, and the session in the browser may be there all the same.
        stand.world.redirects.fault = nil
        result = try await logout(stand)
        #expect(result["revoked"] == false && result["end_session_url"] != nil)
    }

    @Test @LoopActor func `an ID token goes nowhere but where the grant was made for`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        var account = try AccountConfiguration.openID()
        account.endpoints.endSession = try WebURL("https://evil.example/logout")
        stand.world.reconfigure(account)
        let result = try await logout(stand)
        #expect(result["end_session_url"] == nil && result["end_session_fault"]?.string?.contains("changed") == true)
    }

    private func stand(_ metadata: JSONObject) async throws -> LoginStand {
        try await stand(returning: nil, metadata)
    }
}
