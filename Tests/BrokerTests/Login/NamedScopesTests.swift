// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Scopes that an application's server names (`scopes_from` in the account's file).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct NamedScopesTests {
    private static let place = "https://app.example/scopes.json"

    @LoopActor private func stand() async throws -> LoginStand {
        var account = try AccountConfiguration.openID()
        account.scopesFrom = try WebURL(Self.place)
        return try await LoginStand([account])
    }

    private static func document(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }

    /// What a login asks for; each is another one.
    @LoopActor private func asked(_ stand: LoginStand, _ more: JSONObject = [:]) async throws -> String? {
        try stand.world.account().login?.cancel("the test goes on")
        return try await stand.start(more).query["scope"]
    }

    @Test(
        arguments: [
            #"{"scopes":["calendar","files"]}"#, #"{"scopes":"calendar files","version":2}"#, #"["calendar","files"]"#,
        ]
    )
    @LoopActor func `what the server names takes the place of the configured scopes`(text: String) async throws {
        let stand = try await stand()
        defer { stand.end() }
        stand.transport.documents[Self.place] = Self.document(text)
        #expect(try await asked(stand) == "openid calendar files")
        #expect(try await asked(stand, ["scope": "more"]) == "openid calendar files more")
    }

    @Test(
        arguments: [
            document("{}", status: 404), document("{}"), document("<html>"), document(#"{"scopes":[]}"#),
            document(#"{"scopes":["a b"]}"#), document(#"{"scopes":["ok",1]}"#), document(#"{"scopes":""}"#),
            document("", status: 500),
        ]
    )
    @LoopActor func `none there, an older server or a broken one changes nothing`(answer: HTTPResponse) async throws {
        let stand = try await stand()
        defer { stand.end() }
        stand.transport.documents[Self.place] = answer
        #expect(try await asked(stand) == "openid mail")
    }

    @Test @LoopActor func `it is asked at each login, and its last word kept while it is away`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        stand.transport.documents[Self.place] = Self.document(#"["calendar"]"#)
        #expect(try await asked(stand) == "openid calendar")
        stand.transport.documents[Self.place] = Self.document(#"["files"]"#)
        #expect(try await asked(stand) == "openid files")
        stand.transport.documents[Self.place] = Self.document("", status: 503)
        #expect(try await asked(stand) == "openid files")
        stand.transport.documents[Self.place] = nil
        stand.transport.script = { _ in .failure(.test(.resolve, mayHaveBeenSent: false)) }
        #expect(try await asked(stand) == "openid files")
        stand.transport.documents[Self.place] = Self.document("", status: 404)
        #expect(try await asked(stand) == "openid mail")
        let request = stand.transport.requests.first { $0.url.text == Self.place }
        #expect(request?.method == .get && request?.headers["Authorization"] == nil)
    }

    @Test @LoopActor func `what the server names no more is not asked for, what the user added is`() async throws {
        let stand = try await stand()
        defer { stand.end() }
        stand.provider.publish(["scopes_supported": ["openid", "mail", "kept"]])
        stand.transport.documents[Self.place] = Self.document(#"["kept","dropped"]"#)
        #expect(try await stand.signIn(["scope": "mail"]).get()["scope"] == "openid kept dropped mail")
        stand.transport.documents[Self.place] = Self.document(#"["new"]"#)
        #expect(try await asked(stand) == "openid new mail")
    }

    @Test @LoopActor func `where a scope fails the request, those that the provider does not list are named`()
        async throws
    {
        let stand = try await stand()
        defer { stand.end() }
        stand.provider.publish(["scopes_supported": ["openid", "mail"]])
        stand.transport.documents[Self.place] = Self.document("{}", status: 404)
        let login = try await stand.start(["scope": "calender"])
        _ = await stand.browse(login, ["error": "invalid_scope", "state": login.state]).value
        let error = await stand.wait(login).error
        #expect(error?.data["oauth_error"] == "invalid_scope")
        #expect(error?.message.contains("does not list “calender”") == true)
    }
}
