// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Pushed requests (RFC 9126) of clients that authenticate, and of answers that a user passes.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct PushedJointTests {
    private static let demands: JSONObject = [
        "pushed_authorization_request_endpoint": "https://idp.example/par",
        "registration_endpoint": "https://idp.example/register", "require_pushed_authorization_requests": true,
    ]

    @LoopActor private func stand(
        _ method: ClientAuthenticationMethod = .none,
        secret: String? = nil,
        _ change: (inout AccountConfiguration) throws -> Void = { _ in }
    ) async throws -> LoginStand {
        var account = try AccountConfiguration.openID()
        account.file = "/c/work.json5"
        account.clientAuthentication = method
        try change(&account)
        let stand = try await LoginStand([account])
        if let secret { stand.world.give(method.usesSecret ? .clientSecret : .clientKey, secret, to: account) }
        stand.provider.publish(Self.demands)
        return stand
    }

    /// Answers the pushed request that is under way.
    @LoopActor private func push(_ stand: LoginStand) async -> HTTPRequest {
        let exchange = await stand.transport.next()
        #expect(exchange.request.url.path == "/par")
        exchange.answer(.json(["request_uri": "urn:pushed:1", "expires_in": 60], status: 201))
        return exchange.request
    }

    /// A whole login, with the request that was pushed and the one that traded the code.
    @LoopActor private func signIn(_ stand: LoginStand, client: String = "app") async throws -> (
        pushed: HTTPRequest, traded: HTTPRequest, result: MethodClient.Reply
    ) {
        let reply = stand.client.send(.loginStart, ["account": "work"])
        let pushed = await push(stand)
        let login = try stand.started(await stand.client.reply(to: reply).get())
        #expect(login.query["client_id"] == client && login.query["request_uri"] == "urn:pushed:1")
        #expect(login.query["state"] == nil)
        let page = stand.browse(login, ["code": "C1", "state": pushed.form["state"] ?? ""])
        let exchange = await stand.transport.next()
        let token = try stand.provider.idToken(nonce: pushed.form["nonce"], ["aud": .string(client)])
        exchange.answer(.token("A1", refresh: "R1", ["id_token": .string(token)]))
        _ = await page.value
        return (pushed, exchange.request, await stand.wait(login))
    }

    @Test @LoopActor func `a registered client pushes as the client that it became (9126-1, 7591-2)`()
        async throws
    {
        let stand = try await stand {
            $0.clientID = ""
            $0.registersClient = true
        }
        defer { stand.end() }
        async let signedIn = signIn(stand, client: "reg-1")
        let registration = await stand.transport.next()
        #expect(registration.request.url.path == "/register")
        registration.answer(
            .json(
                [
                    "client_id": "reg-1", "client_secret": "given", "token_endpoint_auth_method": "client_secret_basic",
                ],
                status: 201
            )
        )
        let (pushed, traded, result) = try await signedIn
        #expect(result.kind == nil)
        // "reg-1:given"
        #expect(pushed.headers["Authorization"] == "Basic cmVnLTE6Z2l2ZW4=")
        #expect(traded.headers["Authorization"] == pushed.headers["Authorization"])
    }

    @Test(arguments: [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost])
    @LoopActor func `a client with a secret shows it with the pushed request, once (9126-1, 6749-4)`(
        method: ClientAuthenticationMethod
    ) async throws {
        let stand = try await stand(method, secret: "s3cr3t")
        defer { stand.end() }
        let (pushed, traded, result) = try await signIn(stand)
        #expect(result.kind == nil)
        for request in [pushed, traded] {
            let isBasic = method == .clientSecretBasic
            #expect((request.headers["Authorization"] != nil) == isBasic)
            #expect(request.form["client_secret"] == (isBasic ? nil : "s3cr3t"))
            #expect(request.form.values(of: "client_id") == (isBasic && request.url.path == "/token" ? [] : ["app"]))
        }
    }

    @Test @LoopActor func `a client with a key signs each of the two anew (9126-1)`() async throws {
        let key = try SigningKey.generate(.es256)
        let stand = try await stand(.privateKeyJWT, secret: try key.exportPEM().reveal())
        defer { stand.end() }
        let (pushed, traded, result) = try await signIn(stand)
        #expect(result.kind == nil)
        let assertions = [pushed, traded].compactMap { $0.form["client_assertion"] }
        #expect(Set(assertions).count == 2)
        for assertion in assertions {
            try JSONWebSignature(compact: Secret(assertion)).verify(with: key.publicKey)
        }
    }

    @Test @LoopActor func `without its secret nothing is pushed and no browser opens`() async throws {
        let stand = try await stand(.clientSecretPost)
        defer { stand.end() }
        let error = await stand.client.call(.loginStart, ["account": "work", "open_browser": true]).error
        #expect(error?.kind == .configInvalid && error?.message.contains("tokenctl account secret work") == true)
        #expect(stand.transport.posts.isEmpty && stand.world.browser.opened.isEmpty)
    }

    @Test @LoopActor func `an answer that is pasted belongs to the pushed request (9126-1, 8252-3)`() async throws {
        let stand = try await stand { $0.redirects = [try RedirectURI("https://app.example/cb")] }
        defer { stand.end() }
        let reply = stand.client.send(.loginStart, ["account": "work", "completes": true])
        let pushed = await push(stand)
        let login = try stand.started(await stand.client.reply(to: reply).get())
        #expect(pushed.form["redirect_uri"] == "https://app.example/cb" && login.query["redirect_uri"] == nil)
        let wrong = "https://app.example/cb?code=C1&state=x"
        #expect(await stand.client.call(.loginComplete, ["url": .string(wrong)]).kind == .loginUnknown)
        let home = "https://app.example/cb?code=C1&state=" + (pushed.form["state"] ?? "")
        let id = stand.client.send(.loginComplete, ["url": .string(home)])
        let exchange = await stand.transport.next()
        #expect(exchange.form["redirect_uri"] == "https://app.example/cb")
        let token = try stand.provider.idToken(nonce: pushed.form["nonce"])
        exchange.answer(.token("A1", refresh: "R1", ["id_token": .string(token)]))
        #expect(try await stand.client.reply(to: id).get()["subject"] == "alice")
    }

    @Test(arguments: ["https://app.example/cb", "com.example.app:/cb", "http://127.0.0.1:8123/cb"])
    @LoopActor func `an answer that is posted is in no address, so nobody is asked to bring it (8252-3)`(
        redirect: String
    ) async throws {
        let stand = try await stand {
            $0.redirects = [try RedirectURI(redirect)]
            $0.authorizationParameters = ["response_mode": "form_post"]
        }
        defer { stand.end() }
        stand.world.handlers.schemes = ["com.example.app"]
        let error = await stand.client.call(.loginStart, ["account": "work", "completes": true]).error
        #expect(error?.kind == .configInvalid && error?.message.contains("form_post") == true)
        #expect(error?.message.contains("/c/work.json5") == true && stand.transport.requests.isEmpty)
        let listened = stand.client.send(.loginStart, ["account": "work"])
        if redirect.hasPrefix("http:") {
            #expect(await push(stand).form["response_mode"] == "form_post")
        }
        #expect((await stand.client.reply(to: listened).kind == nil) == redirect.hasPrefix("http:"))
    }
}
