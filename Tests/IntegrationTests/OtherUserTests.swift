// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Another user of the machine, who reads the arguments of a user's browser, and asks the same port for the same.
    @Suite(.enabled(if: geteuid() == 0, "becoming another user takes root")) struct OtherUsers {
        /// What `curl` of that user gets.
        private static func fetch(_ url: String) async throws -> ChildProcess.Finished {
            let user = ["--reuid=65534", "--regid=65534", "--clear-groups"]
            let words = ["curl", "--silent", "--include", "--location", "--max-time", "20", url]
            return try await ChildProcess.run("setpriv", user + words, environment: ["PATH": "/usr/bin:/bin"])
        }

        private static func expectNothing(_ url: String) async throws {
            let got = try await fetch(url)
            // Nothing came (52), or the end came before the request was sent (56).
            #expect(got.status == .code(52) || got.status == .code(56), "\(got)")
            #expect(got.output.isEmpty)
        }

        @Test func `another user gets nothing of a sign-in, and neither ends it nor signs somebody in`() async throws {
            try await Stand.with { stand in
                let started = try await stand.client.result("login.start", ["account": "work"])
                let page = try #require(started["start_url"]?.string)
                let url = try #require(started["authorization_url"]?.string)
                let query = WireParameters(String(url.split(separator: "?").last ?? ""))
                let redirect = try #require(query["redirect_uri"]), state = try #require(query["state"])
                try await Self.expectNothing(page)
                // With all that there is to know.
                try await Self.expectNothing("\(redirect)?error=access_denied&state=\(state)")
                try await Self.expectNothing("\(redirect)?code=theirs&state=\(state)&iss=\(stand.provider.issuer)")
                #expect(try await stand.status()["state"] == "login_pending")
                #expect(stand.provider.count(.token) == 0)
                try await stand.daemon.hasLogged("a program of another user (uid 65534) connected to the port")
                // Whose sign-in it is gets the same page, by the same means.
                let own = try await ChildProcess.run(
                    "curl",
                    ["--silent", "--include", "--max-time", "20", page],
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                #expect(own.output.hasPrefix("HTTP/1.1 303 ") && own.output.contains(state), "\(own)")
                _ = try await BrowserStandIn().signIn(url)
                let wait: JSONObject = ["login_id": try #require(started["login_id"])]
                #expect(try await stand.client.result("login.wait", wait)["identity"] == "alice@example.org")
            }
        }

        @Test func `another user gets no ID token of a logout, and does not use its page up`() async throws {
            var settings = ProviderSettings.approving
            settings.hasEndSession = true
            try await Stand.with(settings) { stand in
                try await stand.signIn()
                let logout: JSONObject = ["account": "work", "end_session": true]
                let result = try await stand.client.result("logout", logout)
                let url = try #require(result["end_session_url"]?.string)
                try await Self.expectNothing(url)
                #expect(!stand.provider.events.contains { $0.endpoint == .endSession })
                _ = try await BrowserStandIn().open(url)
                let asked = stand.provider.events.first { $0.endpoint == .endSession }?.parameters
                #expect(asked?["id_token_hint"] != nil)
            }
        }
    }
}
