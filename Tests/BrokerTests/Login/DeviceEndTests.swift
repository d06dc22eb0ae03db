// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// How often a device login asks, and how it ends without a grant.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct DeviceEndTests {
    @Test @LoopActor func `a storm of slow_down is obeyed, five seconds more each (8628-4, G5)`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let id = try await stand.started()
        for wait: Int64 in [5, 10, 15, 20] {
            await stand.poll(after: wait)?.answer(.oauthError("slow_down", status: wait == 10 ? 403 : 400))
        }
        await stand.poll(after: 25)?.answer(.json(["error": "slow_down", "interval": 40]))
        await stand.poll(after: 40)?.answer(.oauthError("authorization_pending", status: 428))
        await stand.poll(after: 40)?.answer(try stand.tokens())
        #expect(await stand.wait(id).kind == nil)
        #expect(stand.polls == 7)
    }

    @Test @LoopActor func `a network that is away is asked less often, and outlived (8628-5)`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let id = try await stand.started()
        await stand.poll(after: 5)?.fail(.timeout, mayHaveBeenSent: true)
        await stand.poll(after: 10)?.answer(.page(status: 200))
        await stand.poll(after: 20)?.answer(.page(status: 503, headers: ["Retry-After": "45"]))
        await stand.poll(after: 45)?.answer(.oauthError("authorization_pending"))
        await stand.poll(after: 5)?.answer(try stand.tokens())
        #expect(await stand.wait(id).kind == nil)
        #expect(stand.polls == 5)
    }

    @Test @LoopActor func `an interval that is missing is five seconds, not a loop (8628-2, G5)`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        _ = try await stand.started([:], ["interval": nil, "expires_in": 60])
        stand.transport.script = { request in
            request.url.path == "/token" ? .success(.oauthError("authorization_pending")) : nil
        }
        await stand.clock.advance(by: .seconds(120))
        #expect(stand.polls == 11)
    }

    @Test @LoopActor func `it stops when the code ends, even where the provider never says so (8628-5)`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let id = try await stand.started([:], ["expires_in": 12])
        await stand.poll(after: 5)?.answer(.oauthError("authorization_pending"))
        await stand.poll(after: 5)?.answer(.oauthError("authorization_pending"))
        await stand.clock.advance(by: .milliseconds(1999))
        #expect(try stand.stand.world.account().login != nil)
        await stand.clock.advance(by: .milliseconds(1))
        let error = await stand.wait(id).error
        #expect(error?.kind == .timeout && error?.message.contains("tokenctl login work") == true)
        #expect(stand.polls == 2)
    }

    @Test @LoopActor func `the request's own time holds where it is the shorter one`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let reply = try await stand.start(["timeout": 7]).get()
        #expect(reply["expires_at"]?.int64 == HandClock.start.wall + 7)
        await stand.poll(after: 5)?.answer(.oauthError("authorization_pending"))
        await stand.clock.advance(by: .seconds(2))
        #expect(await stand.wait(reply["login_id"]?.string ?? "").kind == .timeout)
    }

    @Test(
        arguments: [
            ("access_denied", 403, ErrorKind.loginFailed, "access_denied"),
            ("authorization_declined", 400, .loginFailed, "access_denied"), ("expired_token", 403, .timeout, nil),
            ("token_expired", 200, .timeout, nil), ("invalid_grant", 403, .loginFailed, "invalid_grant"),
            ("bad_verification_code", 400, .loginFailed, "bad_verification_code"),
            ("incorrect_device_code", 200, .loginFailed, "incorrect_device_code"),
            ("device_flow_disabled", 200, .providerError, "device_flow_disabled"),
            ("invalid_client", 401, .providerError, "invalid_client"),
        ] as [(String, Int, ErrorKind, String?)]
    )
    @LoopActor func `a word that ends it stops the polls (8628-4, 8628-6)`(
        code: String,
        status: Int,
        kind: ErrorKind,
        told: String?
    ) async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let id = try await stand.started()
        await stand.poll(after: 5)?.answer(.oauthError(code, status: status))
        let error = await stand.wait(id).error
        #expect(error?.kind == kind && error?.data["oauth_error"]?.string == told)
        await stand.clock.advance(by: .seconds(1000))
        #expect(stand.polls == 1 && stand.stand.store.written.isEmpty)
    }

    @Test @LoopActor func `after login.cancel nothing is asked, and a grant that comes all the same is revoked`()
        async throws
    {
        let stand = try await DeviceStand()
        defer { stand.end() }
        for isUnderWay in [true, false] {
            let id = try await stand.started()
            let before = stand.polls
            let poll = isUnderWay ? await stand.poll(after: 5) : nil
            #expect(try await stand.stand.client.call(.loginCancel, ["login_id": .string(id)]).get().isEmpty)
            #expect(await stand.wait(id).kind == .cancelled)
            poll?.answer(try stand.tokens())
            await stand.clock.advance(by: .seconds(1000))
            #expect(stand.polls == before + (isUnderWay ? 1 : 0))
        }
        #expect(stand.stand.store.written.isEmpty && stand.stand.revoked == ["R1", "A1"])
    }

    @Test @LoopActor func `a store that is locked is said before a code is shown`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        stand.stand.store.fault = MemoryCredentialStore.locked
        let params: JSONObject = ["account": "work", "flow": "device"]
        #expect(await stand.stand.client.call(.loginStart, params).kind == .storeLocked)
        #expect(stand.transport.posts.isEmpty)
    }

    @Test @LoopActor func `a suspend neither loses the login nor hurries the polls`() async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let id = try await stand.started()
        await stand.clock.suspend(for: .seconds(300))
        #expect(stand.polls == 1)
        await stand.transport.next().answer(.oauthError("authorization_pending"))
        await stand.poll(after: 5)?.answer(try stand.tokens())
        #expect(await stand.wait(id).kind == nil)
    }

    @Test(
        arguments: [
            (HTTPResponse.oauthError("unauthorized_client"), "unauthorized_client"),
            (.oauthError("device_flow_disabled", status: 200), "device_flow_disabled"),
            (.oauthError("access_denied", status: 403), "access_denied"), (.page(status: 403), nil),
            (.page(status: 404), nil),
        ] as [(HTTPResponse, String?)]
    )
    @LoopActor func `a provider that refuses the flow is told with the other one, and nothing is switched (E9)`(
        response: HTTPResponse,
        code: String?
    ) async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let error = await stand.start(answer: response).error
        #expect(error?.kind == .providerError && error?.data["oauth_error"]?.string == code)
        #expect(error?.data["http_status"]?.int64 == Int64(response.status))
        #expect(error?.message.hasSuffix("sign in with a browser instead: tokenctl login work") == true)
        #expect(stand.stand.world.redirects.opened.isEmpty && stand.transport.posts.count == 1)
    }

    @Test @LoopActor func `a provider without the endpoint is told with the other flow and the setting (E9)`()
        async throws
    {
        var account = try AccountConfiguration.openID()
        account.file = "/home/u/.config/tokend/accounts/work.json5"
        account.flow = .device
        let stand = try await DeviceStand([account])
        defer { stand.end() }
        stand.stand.provider.publish()
        let error = await stand.stand.client.call(.loginStart, ["account": "work"]).error
        #expect(error?.kind == .providerError)
        let message = error?.message ?? ""
        #expect(message.contains("endpoints.device_authorization") && message.contains("flow: \"browser\""))
        account.endpoints.deviceAuthorization = try WebURL("https://idp.example/oauth/authorize_device")
        stand.stand.world.reconfigure(account)
        #expect(await stand.start().kind == nil)
        #expect(stand.transport.posts.map(\.url.path) == ["/oauth/authorize_device"])
    }

    @Test(arguments: [
        (HTTPResponse.page(status: 200), ErrorKind.providerUnreachable),
        (.page(status: 503, headers: ["Retry-After": "60"]), .providerUnreachable),
        (.json(["device_code": "d", "user_code": "u"]), .providerError),
        (.oauthError("invalid_scope"), .providerError),
    ])
    @LoopActor func `any other answer is told as what it is`(response: HTTPResponse, kind: ErrorKind) async throws {
        let stand = try await DeviceStand()
        defer { stand.end() }
        let error = await stand.start(answer: response).error
        #expect(error?.kind == kind && error?.message.contains("browser") == false)
        #expect((error?.data["retry_at"] != nil) == (response.status == 503))
    }
}
