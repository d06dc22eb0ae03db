// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

@testable import Broker

/// One account of an OpenID provider, a client at the socket, and a browser that a test moves.
@LoopActor final class LoginStand {
    /// A login that waits for the user.
    struct Started {
        let id: String
        /// What the browser carries to the provider.
        let query: FormParameters
        let url: WebURL
        let redirectURI: String
        /// The listener's page that leads to the provider.
        let startURL: String
        /// nil for a redirect without one.
        let opened: ScriptedRedirects.Listener?

        /// The listener at which the answer arrives.
        var listener: ScriptedRedirects.Listener {
            guard let opened else { preconditionFailure("\(redirectURI) has no listener") }
            return opened
        }

        var state: String { query["state"] ?? "" }
        var nonce: String? { query["nonce"] }
    }

    let world: World
    let provider: PlayedProvider
    let methods: MethodStand
    let client: MethodClient

    init(_ accounts: [AccountConfiguration]? = nil) async throws {
        world = World(try accounts ?? [.openID()])
        provider = try PlayedProvider(world)
        methods = try MethodStand(world)
        client = try methods.client()
        transport.script = { request in
            request.url.path == "/revoke" ? .success(HTTPResponse(status: 200, headers: [:], body: [])) : nil
        }
        await world.start()
    }

    func end() {
        methods.end()
    }

    var store: MemoryCredentialStore { world.store }
    var transport: ScriptedTransport { world.transport }
    var clock: HandClock { world.clock }

    /// Starts a login and expects that a browser can be opened.
    func start(_ more: JSONObject = [:], account: String = "work", by client: MethodClient? = nil) async throws
        -> Started
    {
        var params: JSONObject = ["account": .string(account)]
        for member in more { params[member.name] = member.value }
        return try started(await (client ?? self.client).call(.loginStart, params).get())
    }

    /// Takes the reply to a `login.start` apart.
    func started(_ reply: JSONObject) throws -> Started {
        let result = try LoginStart.Result(json: reply)
        let url = try WebURL(result.authorizationURL ?? "")
        guard let query = url.queryParameters else {
            throw ProtocolError(.internalError, "The authorization URL has no query.")
        }
        return Started(
            id: result.loginID,
            query: query,
            url: url,
            redirectURI: result.redirectURI ?? "",
            startURL: result.startURL ?? "",
            opened: world.redirects.opened.last
        )
    }

    /// The browser is redirected; the answer may take a while.
    func browse(_ login: Started, _ query: FormParameters? = nil, path: String? = nil) -> Task<RedirectAnswer, Never> {
        let uri = try? WebURL(login.redirectURI)
        let text = query.map { $0.encoded().reveal() }
        let request = RedirectRequest(
            method: .get,
            path: path ?? uri?.path.nilIfEmpty ?? "/",
            query: text,
            headers: ["Host": "\(uri?.host ?? ""):\(uri?.port ?? 0)"]
        )
        return Task.onLoop { await login.listener.receive(request) }
    }

    /// The browser is redirected with a code.
    func bringCode(_ login: Started) -> Task<RedirectAnswer, Never> {
        browse(login, ["code": "C1", "state": login.state])
    }

    /// The token endpoint's good answer to a login.
    func tokens(
        _ login: Started,
        refresh: String? = "R1",
        claims: JSONObject = [:],
        _ more: JSONObject = [:]
    ) throws -> HTTPResponse {
        var members = more
        members["id_token"] = .string(try provider.idToken(nonce: login.nonce, claims))
        return .token("A1", refresh: refresh, members)
    }

    /// A whole login that succeeds.
    ///
    /// - Returns: what `login.wait` says.
    @discardableResult
    func signIn(
        _ more: JSONObject = [:],
        refresh: String? = "R1",
        claims: JSONObject = [:]
    ) async throws -> MethodClient.Reply {
        let login = try await start(more)
        let page = bringCode(login)
        await transport.next().answer(try tokens(login, refresh: refresh, claims: claims))
        _ = await page.value
        return await wait(login)
    }

    /// What `login.wait` says.
    func wait(_ login: Started) async -> MethodClient.Reply {
        await client.call(.loginWait, ["login_id": .string(login.id)])
    }

    /// The last page, as the browser that was sent there gets it.
    func page(after answer: RedirectAnswer, of login: Started) async -> RedirectAnswer? {
        guard case .seeOther(let path) = answer else { return nil }
        return await browse(login, path: path).value
    }

    /// What was sent to the revocation endpoint, in order.
    var revoked: [String] {
        transport.posts.filter { $0.url.path == "/revoke" }.compactMap { $0.form["token"] }
    }

    /// What was sent to the token endpoint with a code.
    var exchanges: [FormParameters] {
        transport.posts.map(\.form).filter { $0["grant_type"] == "authorization_code" }
    }
}

extension String {
    fileprivate var nilIfEmpty: String? { isEmpty ? nil : self }
}
