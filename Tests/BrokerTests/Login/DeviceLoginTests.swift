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

/// A device login (RFC 8628), from the codes to the grant.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct DeviceLoginTests {
    @Test @LoopActor
    func `the person is told the code and where to enter it, and nobody the device code (8628-1, 8628-3)`()
        async throws
    {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let reply = try await stand.start(["scope": "more"]).get()
        let result = try LoginStart.Result(json: reply)
        #expect(result.flow == .device && result.userCode == "WDJB-MJHT" && result.interval == 5)
        #expect(result.verificationURI == "https://idp.example/enter")
        #expect(result.verificationURIComplete == "https://idp.example/enter?user_code=WDJB-MJHT")
        #expect(result.expiresAt == HandClock.start.wall + 900)
        #expect(result.authorizationURL == nil && result.redirectURI == nil)
        #expect(stand.transport.posts.map(\.url.text) == [DeviceStand.endpoint])
        let form = stand.transport.posts[0].form
        #expect(form["client_id"] == "app" && form["scope"] == "openid mail more" && form["client_secret"] == nil)
        let status = try await stand.stand.client.call(.status).get()
        for text in [
            JSONWriter.pretty(.object(reply)), JSONWriter.pretty(.object(status)), "\(stand.stand.world.log.events)",
        ] {
            #expect(!text.contains(DeviceStand.deviceCode))
        }
        #expect(stand.stand.world.redirects.opened.isEmpty && stand.stand.world.browser.opened.isEmpty)
    }

    @Test @LoopActor func `the grant of a poll is checked, stored and served like a code's (8628-4)`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let id = try await stand.started()
        await stand.poll(after: 5)?.answer(.oauthError("authorization_pending"))
        let poll = try #require(await stand.poll(after: 5))
        #expect(poll.form["grant_type"] == TokenRequest.deviceGrantType)
        #expect(poll.form["device_code"] == DeviceStand.deviceCode && poll.form["client_id"] == "app")
        poll.answer(try stand.tokens())
        let result = try await stand.wait(id).get()
        #expect(
            result["subject"] == "alice" && result["identity"] == "alice@idp.example" && result["renewable"] == true
        )
        #expect(stand.stand.store.member("refresh_token") == "R1" && stand.stand.store.member("flow") == "device")
        #expect(try await stand.stand.client.call(.tokenGet).get()["access_token"] == "A1")
        let account = try await stand.stand.client.call(.status).get()["accounts"]?.array?.first?.object
        #expect(account?["flow"] == "device" && account?["state"] == "ready")
        await stand.clock.advance(by: .seconds(100))
        #expect(stand.polls == 2)
    }

    @Test @LoopActor func `the first poll comes an interval after the codes, however slowly they came (8628-4)`()
        async throws
    {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let id = try await stand.start(after: 3).get()["login_id"]?.string ?? ""
        let poll = try #require(await stand.poll(after: 5))
        poll.answer(try stand.tokens())
        #expect(try await stand.wait(id).get()["subject"] == "alice")
    }

    @Test @LoopActor func `how a grant was made outlives a restart`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let id = try await stand.started()
        await stand.poll(after: 5)?.answer(try stand.tokens())
        _ = await stand.wait(id)
        await stand.stand.world.restart()
        #expect(try stand.stand.world.account().status.flow == .device)
    }

    @Test(
        arguments: [
            (["iss": "https://evil.example"], "issuer"), (["aud": "other"], "audience"), (["sub": nil], "subject"),
        ] as [(JSONObject, String)]
    )
    @LoopActor func `an ID token that fails a check ends the login and leaves nothing`(
        claims: JSONObject,
        check: String
    ) async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let id = try await stand.started()
        await stand.poll(after: 5)?.answer(try stand.tokens(claims: claims))
        #expect(await stand.wait(id).error?.data["check"]?.string == check)
        await settle()
        #expect(stand.stand.store.written.isEmpty && stand.stand.revoked == ["R1", "A1"])
    }

    @Test @LoopActor func `another person than last time is refused and the old grant stays`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        try await stand.stand.signIn()
        let id = try await stand.started()
        await stand.poll(after: 5)?.answer(try stand.tokens(refresh: "R2", claims: ["sub": "bob"]))
        #expect(await stand.wait(id).error?.data["check"] == "subject")
        #expect(stand.stand.store.member("refresh_token") == "R1")
    }

    @Test @LoopActor func `the same again joins it, another flow takes its place`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let id = try await stand.started()
        let params: JSONObject = ["account": "work", "flow": "device"]
        let second = try await stand.stand.client.call(.loginStart, params).get()
        #expect(second["login_id"]?.string == id && second["user_code"] == "WDJB-MJHT")
        let other = try await stand.stand.start(["flow": "browser"])
        #expect(other.id != id)
        #expect(await stand.wait(id).kind == .cancelled)
        await stand.clock.advance(by: .seconds(100))
        #expect(stand.polls == 0)
    }

    @Test @LoopActor func `the account's flow holds where none is asked for`() async throws {
        var account = try AccountConfiguration.openID()
        account.flow = .device
        let stand = try await DeviceStand([account])
        defer { stand.end() }
        let reply = stand.stand.client.send(.loginStart, ["account": "work"])
        await stand.transport.next().answer(.json(DeviceStand.codes))
        #expect(try await stand.stand.client.reply(to: reply).get()["flow"] == "device")
        let status = try await stand.stand.client.call(.status).get()
        #expect(status["accounts"]?.array?.first?.object?["flow"] == "device")
    }

    @Test @LoopActor func `token.get with interactive starts no flow that nobody would see (E9)`() async throws {
        var account = try AccountConfiguration.openID()
        account.flow = .device
        let stand = try await DeviceStand([account])
        defer { stand.end() }
        let error = await stand.stand.client.call(.tokenGet, ["interactive": true]).error
        #expect(error?.kind == .loginRequired && error?.message.contains("tokenctl login work") == true)
        #expect(stand.transport.posts.isEmpty && stand.stand.world.browser.opened.isEmpty)
    }

    @Test @LoopActor func `what a device login cannot use is refused by name`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let params: JSONObject = ["account": "work", "flow": "device", "redirect_uri": "http://127.0.0.1/callback"]
        let error = await stand.stand.client.call(.loginStart, params).error
        #expect(error?.kind == .invalidParams && error?.data["member"] == "redirect_uri")
    }

    @Test @LoopActor func `the daemon opens the page with the code in it where it is told to (8628-3)`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        _ = try await stand.started(["open_browser": true])
        await settle()
        await stand.stand.world.browser.opening(1)
        #expect(stand.stand.world.browser.opened.map(\.text) == ["https://idp.example/enter?user_code=WDJB-MJHT"])
    }

    @Test @LoopActor func `a client with a secret shows itself at both endpoints, and reads it once (8628-1)`()
        async throws
    {
        var account = try AccountConfiguration.openID()
        account.clientAuthentication = .clientSecretPost
        let stand = try await DeviceStand([account])
        defer { stand.end() }
        let params: JSONObject = ["account": "work", "flow": "device"]
        let missing = await stand.stand.client.call(.loginStart, params).error
        #expect(missing?.kind == .configInvalid && stand.transport.posts.isEmpty)
        stand.stand.world.give(.clientSecret, "s3cr3t", to: account)
        let id = try await stand.started()
        #expect(stand.transport.posts[0].form["client_secret"] == "s3cr3t")
        stand.stand.store.fault = MemoryCredentialStore.locked
        let poll = try #require(await stand.poll(after: 5))
        #expect(poll.form["client_secret"] == "s3cr3t" && poll.form["client_id"] == "app")
        stand.stand.store.fault = nil
        poll.answer(try stand.tokens())
        #expect(await stand.wait(id).kind == nil)
    }
}
