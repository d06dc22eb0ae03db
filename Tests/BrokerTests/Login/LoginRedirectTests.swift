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

/// The redirects on this machine (RFC 8252, sections 7.3 and 8.3).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct LoginRedirectTests {
    @LoopActor private func stand(_ redirects: String...) async throws -> LoginStand {
        var account = try AccountConfiguration.openID()
        account.file = "/home/u/.config/tokend/accounts/work.json5"
        account.redirects = try redirects.map { try RedirectURI($0) }
        return try await LoginStand([account])
    }

    @Test(arguments: [
        ("http://127.0.0.1/cb", RedirectURI.LoopbackHost.ipv4, "http://127.0.0.1:40000/cb"),
        ("http://127.0.0.1", .ipv4, "http://127.0.0.1:40000"), ("http://[::1]/cb", .ipv6, "http://[::1]:40000/cb"),
        ("http://localhost/cb?x=1", .localhost, "http://localhost:40000/cb?x=1"),
        ("http://127.0.0.1:8123/", .ipv4, "http://127.0.0.1:8123/"),
        ("http://localhost:8123/a/b", .localhost, "http://localhost:8123/a/b"),
    ])
    @LoopActor func `the redirect is sent as it was configured, with the port that was got (8252-4, D11, N)`(
        text: String,
        host: RedirectURI.LoopbackHost,
        sent: String
    ) async throws {
        let stand = try await stand(text)
        defer { stand.end() }
        let login = try await stand.start()
        #expect(login.redirectURI == sent && login.query["redirect_uri"] == sent)
        #expect(login.listener.host == host)
        let page = stand.bringCode(login)
        let exchange = await stand.transport.next()
        #expect(exchange.form["redirect_uri"] == sent)
        exchange.answer(try stand.tokens(login))
        #expect(await page.value != .refused(status: 400))
    }

    @Test @LoopActor func `without a preference 127.0.0.1 is used, or ::1 where there is no IPv4 (8252-5, D8)`()
        async throws
    {
        let stand = try await stand()
        defer { stand.end() }
        #expect(try await stand.start().redirectURI == "http://127.0.0.1:40000/callback")
        stand.world.redirects.refused[.ipv4] = RedirectFault(message: "this machine has no IPv4")
        #expect(try await stand.start(["prompt": "login"]).redirectURI == "http://[::1]:40001/callback")
    }

    @Test @LoopActor func `of a list the first that can be had is used (D9)`() async throws {
        let stand = try await stand("http://127.0.0.1:8123/cb", "http://[::1]:8123/cb", "http://127.0.0.1:8124/cb")
        defer { stand.end() }
        stand.world.redirects.refused[.ipv6] = RedirectFault(message: "port 8123 of ::1 is taken")
        stand.world.redirects.taken = [8123]
        #expect(try await stand.start().redirectURI == "http://127.0.0.1:8124/cb")
    }

    @Test @LoopActor func `where none can be had, every port is named and no browser opens (D9)`() async throws {
        let stand = try await stand("http://127.0.0.1:8123/cb", "http://127.0.0.1:8124/cb")
        defer { stand.end() }
        stand.world.redirects.taken = [8123, 8124]
        let error = await stand.client.call(.loginStart, ["account": "work"]).error
        #expect(error?.kind == .configInvalid && error?.data["member"]?.string == "redirect_uri")
        #expect(error?.data["file"]?.string == "/home/u/.config/tokend/accounts/work.json5")
        #expect(error?.message.contains("8123") == true && error?.message.contains("8124") == true)
    }

    @Test @LoopActor func `a redirect that a client names is used above the configured ones`() async throws {
        let stand = try await stand("http://127.0.0.1:8123/cb")
        defer { stand.end() }
        let login = try await stand.start(["redirect_uri": "http://localhost/other"])
        #expect(login.redirectURI == "http://localhost:40000/other")
    }

    @Test(arguments: [
        "", "x", "http://example.com/cb", "http://127.0.0.2/cb", "http://127.0.0.1/cb#f", "myapp:/cb",
        "com.example.app://cb", "com.example.app:cb", ".example:/cb", "com..app:/cb", "com.-a:/cb", "com.a+b:/cb",
        "com.example.app:/cb", "https://app.example/cb", "https://app.example/cb#f", "http://u@127.0.0.1/",
    ])
    @LoopActor func `a redirect that cannot come home is refused at once (8252-2)`(text: String) async throws {
        let stand = try await stand()
        defer { stand.end() }
        let reply = await stand.client.call(.loginStart, ["account": "work", "redirect_uri": .string(text)])
        #expect(reply.kind == .invalidParams && reply.error?.data["member"]?.string == "redirect_uri")
        #expect(stand.transport.requests.isEmpty)
    }

    @Test @LoopActor func `an answer may be posted where the account asks for that`() async throws {
        var account = try AccountConfiguration.openID()
        account.authorizationParameters = ["response_mode": "form_post"]
        let stand = try await LoginStand([account])
        defer { stand.end() }
        let login = try await stand.start()
        #expect(login.query["response_mode"] == "form_post")
        let form: FormParameters = ["code": "C1", "state": login.query["state"] ?? ""]
        let request = RedirectRequest(
            method: .post,
            path: "/callback",
            query: nil,
            headers: ["Host": "127.0.0.1:40000"],
            body: Array(form.encoded().reveal().utf8)
        )
        let page = Task.onLoop { await login.listener.receive(request) }
        await stand.transport.next().answer(try stand.tokens(login))
        #expect(await stand.page(after: page.value, of: login) != nil)
        #expect(await stand.wait(login).value?["account"]?.string == "work")
    }
}
