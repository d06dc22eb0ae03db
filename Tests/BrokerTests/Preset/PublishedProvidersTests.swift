// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// `provider.list` and `provider.fetch` at the socket.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct PublishedProvidersTests {
    private static let url = "https://app.example/providers.json"

    @LoopActor private func fetch(_ response: HTTPResponse) async throws -> MethodClient.Reply {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.transport.documents[Self.url] = response
        let reply = await stand.client.call(.providerFetch, ["url": .string(Self.url)])
        let request = stand.transport.requests.last
        #expect(request?.method == .get && request?.body == nil && request?.headers["Authorization"] == nil)
        // Nothing is written anywhere.
        #expect(stand.world.broker.accountNames == ["work"] && stand.store.written.isEmpty)
        return reply
    }

    private static func list(_ entries: JSONObject...) -> HTTPResponse {
        .json(["providers": .array(entries.map { .object($0) })])
    }

    @Test @LoopActor func `a list's entries become settings, and nothing else of them does`() async throws {
        let entry: JSONObject = [
            "name": "example", "title": "Ex\u{1B}ample", "issuer": "https://i.example", "client_id": "c",
            "scopes": ["openid", "mail"], "authorization_parameters": ["prompt": "consent"],
            "scopes_from": "https://app.example/scopes.json", "exchange": ["url": "https://app.example/token"],
            "allow": ["exe:/bin/x"],
            "confirm": "never", "colour": "red",
        ]
        let result = try ProviderFetch.Result(json: try await fetch(Self.list(entry)).get())
        #expect(result.note == nil && result.refused.isEmpty && result.providers.count == 1)
        #expect(
            result.providers.first?.account == "example" && result.providers.first?.title?.contains("\u{1B}") == false
        )
        #expect(
            result.providers.first?.config == [
                "issuer": "https://i.example", "client_id": "c", "scopes": ["openid", "mail"],
                "authorization_parameters": ["prompt": "consent"],
                "scopes_from": "https://app.example/scopes.json", "exchange": ["url": "https://app.example/token"],
            ]
        )
    }

    @Test(
        arguments: [
            (["issuer": "https://i.example"], "without a name"), (["name": "../x"], "without a name"),
            (["name": "x", "client_id": "c"], "“x”: issuer is missing"),
            (["name": "x", "issuer": "http://i.example", "client_id": "c"], "“x”: issuer"),
            (
                ["name": "x", "issuer": "https://i.example", "client_id": "c", "client_secret": "s"],
                "“x” holds a secret"
            ),
            (
                ["name": "x", "issuer": "https://i.example", "client_id": "c", "Refresh-Token": "s"],
                "“x” holds a secret"
            ),
            (
                ["name": "x", "issuer": "https://i.example", "client_id": "c", "token_parameters": ["password": "s"]],
                "“x”: token_parameters.password"
            ),
            (
                [
                    "name": "x", "issuer": "https://i.example", "client_id": "c",
                    "scopes_from": "https://evil.example/scopes.json",
                ], "“x”: scopes_from leads to another server"
            ),
            (
                [
                    "name": "x", "issuer": "https://i.example", "client_id": "c",
                    "exchange": ["url": "https://i.example/x"],
                ], "“x”: exchange leads"
            ),
            (
                [
                    "name": "x", "issuer": "https://i.example", "client_id": "c",
                    "endpoints": ["token": "https://evil.example/token"],
                ], "“x”: endpoints stand beside"
            ),
            (
                [
                    "name": "x", "provider": "google", "client_id": "c",
                    "endpoints": ["token": "https://evil.example/t"],
                ],
                "“x”: endpoints stand beside"
            ),
            (["name": "x", "provider": "gogle", "client_id": "c"], "did you mean “google”?"),
        ] as [(JSONObject, String)]
    )
    @LoopActor func `an entry that makes no good account is refused by itself`(entry: JSONObject, reason: String)
        async throws
    {
        let good: JSONObject = ["name": "good", "provider": "spotify", "client_id": "c"]
        let result = try ProviderFetch.Result(json: try await fetch(Self.list(entry, good, good)).get())
        #expect(result.providers.map(\.account) == ["good"])
        #expect(result.refused.count == 2 && result.refused.first?.contains(reason) == true, "\(result.refused)")
        #expect(result.refused.last == "“good” is there twice")
    }

    @Test(arguments: [
        HTTPResponse.json(["error": "not_found"], status: 404), .page(status: 200), .page(status: 404),
        .page(status: 403),
        .json(["version": 1]), .json(["providers": "none"]), .page(status: 302),
        HTTPResponse(status: 200, headers: [:], body: []),
    ])
    @LoopActor func `a server without a list, or an older one, is no error and says so`(response: HTTPResponse)
        async throws
    {
        let result = try ProviderFetch.Result(json: try await fetch(response).get())
        #expect(result.providers.isEmpty && result.refused.isEmpty)
        #expect(result.note?.hasPrefix("https://app.example publishes no list of providers there") == true)
    }

    @Test(arguments: [500, 503, 429]) @LoopActor
    func `a server that cannot answer now is unreachable`(status: Int) async throws {
        #expect(try await fetch(.page(status: status)).kind == .providerUnreachable)
    }

    @Test(arguments: ["http://app.example/x", "ftp://x", "x", "", "com.example:/x"]) @LoopActor
    func `a list is fetched by https alone`(url: String) async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let error = await stand.client.call(.providerFetch, ["url": .string(url)]).error
        #expect(error?.kind == .invalidParams && error?.data["member"] == "url")
        #expect(stand.transport.requests.isEmpty)
    }

    @Test @LoopActor func `the presets are listed with what a person needs, and account.add knows them`()
        async throws
    {
        let stand = try await LoginStand()
        defer { stand.end() }
        let list = try ProviderList.Result(json: try await stand.client.call(.providerList).get()).providers
        #expect(list.map(\.provider) == ProviderPresets.builtIn.names)
        let keycloak = try #require(list.first { $0.provider == "keycloak" })
        #expect(keycloak.asks.map(\.name) == ["server", "realm"] && keycloak.redirect == "http://127.0.0.1/callback")
        #expect(
            keycloak.account["issuer"] == "{server}/realms/{realm}" && keycloak.file == nil && keycloak.fault == nil
        )
        let config: JSONObject = ["provider": "spotify", "client_id": "c"]
        let added = await stand.client.call(.accountAdd, ["account": "music", "config": .object(config)])
        #expect(added.kind == nil)
        let refused = await stand.client.call(
            .accountAdd,
            ["account": "x", "config": ["provider": "spotfy", "client_id": "c"]]
        )
        #expect(refused.kind == .configInvalid && refused.error?.message.contains("“spotify”") == true)
    }
}
