// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// What userinfo adds to a login (OpenID Connect Core, section 5.3).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LoginUserInfoTests {
    private static let nameless: JSONObject = ["email": nil]

    @Test @LoopActor func `it names the person where the ID token does not`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.provider.publishUserInfo(.json(["sub": "alice", "preferred_username": "al\u{202E}ice"]))
        #expect(try await stand.signIn(claims: Self.nameless).value?["identity"] == "alice")
        let request = stand.transport.requests.first { $0.url.path == "/userinfo" }
        #expect(request?.headers["Authorization"] == "Bearer A1" && request?.url.query == nil)
    }

    @Test @LoopActor func `it is not asked where the ID token names the person`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.provider.publishUserInfo(.json(["sub": "alice", "email": "other@idp.example"]))
        #expect(try await stand.signIn().value?["identity"] == "alice@idp.example")
        #expect(!stand.transport.requests.contains { $0.url.path == "/userinfo" })
    }

    @Test(arguments: [
        HTTPResponse.json(["sub": "bob", "email": "bob@idp.example"]), .json(["email": "bob@idp.example"]),
        .page(status: 200), .page(status: 503), .json(["error": "invalid_token"], status: 401),
    ])
    @LoopActor func `an answer about somebody else, or none, is not used and ends nothing (OIDC-13)`(
        response: HTTPResponse
    ) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.provider.publishUserInfo(response)
        let result = try await stand.signIn(claims: Self.nameless).get()
        #expect(result["subject"] == "alice" && result["identity"] == nil)
    }

    @LoopActor private func plainStand() async throws -> LoginStand {
        var account = try AccountConfiguration.plain()
        account.endpoints.userinfo = try WebURL("https://idp.example/userinfo")
        return try await LoginStand([account])
    }

    @LoopActor private func signIn(_ stand: LoginStand, as response: HTTPResponse, refresh: String) async throws
        -> MethodClient.Reply
    {
        stand.transport.documents["https://idp.example/userinfo"] = response
        let login = try await stand.start()
        _ = stand.bringCode(login)
        stand.transport.next(answer: .token("A-" + refresh, refresh: refresh))
        return await stand.wait(login)
    }

    @Test @LoopActor func `where it alone names the subject, the same rule holds`() async throws {
        let stand = try await plainStand()
        defer { stand.end() }
        let alice = HTTPResponse.json(["sub": "alice", "email": "alice@idp.example"])
        #expect(try await signIn(stand, as: alice, refresh: "R1").value?["subject"] == "alice")
        let bob = HTTPResponse.json(["sub": "bob"])
        #expect(try await signIn(stand, as: bob, refresh: "R2").error?.data["check"] == "subject")
        #expect(stand.store.member("refresh_token") == "R1")
        // An outage is no consent to another user.
        let error = try await signIn(stand, as: .page(status: 503), refresh: "R3").error
        #expect(error?.kind == .providerUnreachable && error?.message.contains("who signed in") == true)
        #expect(stand.store.member("refresh_token") == "R1")
        await settle()
        #expect(stand.revoked == ["R2", "A-R2", "R3", "A-R3"])
        #expect(try await signIn(stand, as: alice, refresh: "R4").kind == nil)
        #expect(stand.store.member("refresh_token") == "R4")
    }

    @Test @LoopActor func `a provider that names no subject is said to, and its old refresh token is not mixed in`()
        async throws
    {
        let stand = try await LoginStand([.plain()])
        defer { stand.end() }
        for refresh in ["R1", nil] {
            let login = try await stand.start()
            _ = stand.bringCode(login)
            stand.transport.next(answer: .token("A1", refresh: refresh))
            let result = try await stand.wait(login).get()
            #expect(result["subject"] == nil && result["renewable"] == .bool(refresh != nil))
        }
        #expect(stand.store.member("refresh_token") == nil)
    }
}
