// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Text from outside reaches no terminal, page, log or message raw.
    @Suite struct TextFromOutside {
        private static let fresh: JSONObject = ["account": "work", "fresh": true]

        /// Runs `body`, then looks at everything that a user can see: the log and what `tokenctl` prints.
        private func withClean(_ body: (Stand) async throws -> Void) async throws {
            try await Stand.with { stand in
                try await body(stand)
                let tokenctl = Tokenctl(stand.world)
                let runs = try await [
                    tokenctl.run("status"), tokenctl.run("account", "show", "work"), tokenctl.run("doctor"),
                    tokenctl.run("token", "work", "--fresh"), tokenctl.run("token", "work", "--fresh", "--json"),
                ]
                for run in runs {
                    #expect(OutsideText.leaks(in: run.output).isEmpty, "\(OutsideText.leaks(in: run.output)) \(run)")
                    #expect(OutsideText.leaks(in: run.talk).isEmpty, "\(OutsideText.leaks(in: run.talk)) \(run)")
                }
                let log = stand.daemon.log
                #expect(OutsideText.leaks(in: log).isEmpty, "\(OutsideText.leaks(in: log)) \(log)")
            }
        }

        /// A login that fails, whose page and message are looked at.
        private func failLogin(_ stand: Stand) async throws -> DaemonRefusal {
            let login = try await stand.startLogin()
            let page = try await BrowserStandIn().signIn(login.url)
            #expect(OutsideText.leaks(in: page.body, html: true).isEmpty, "\(page.body)")
            let refusal = try await stand.refusal("login.wait", ["login_id": .string(login.id)])
            #expect(OutsideText.leaks(in: refusal).isEmpty, "\(refusal)")
            return refusal
        }

        private static func error(_ name: String) -> WireResponse {
            .json(
                [
                    "error": .string(name), "error_description": .string(OutsideText.hostile),
                    "error_uri": .string("https://example.com/" + OutsideText.hostile),
                ],
                status: 400
            )
        }

        @Test(arguments: ["invalid_client", "invalid_grant", "temporarily_unavailable", OutsideText.hostile])
        func `what a token endpoint says of a refresh`(name: String) async throws {
            try await withClean { stand in
                try await stand.signIn()
                stand.provider.scriptAlways(.token, .answer(Self.error(name)))
                let refusal = try await stand.refusal("token.get", Self.fresh)
                #expect(OutsideText.leaks(in: refusal).isEmpty, "\(refusal)")
                let status = try await stand.status()
                #expect(OutsideText.leaks(in: status).isEmpty, "\(status)")
            }
        }

        @Test(arguments: ["invalid_grant", OutsideText.hostile])
        func `what a token endpoint says of a code`(name: String) async throws {
            try await withClean { stand in
                stand.provider.scriptAlways(.token, .answer(Self.error(name)))
                let refusal = try await failLogin(stand)
                #expect(refusal.message.contains(OutsideText.word), "what can be shown is: \(refusal)")
            }
        }

        @Test func `the head of an answer that is no JSON`() async throws {
            try await withClean { stand in
                try await stand.signIn()
                let type = "text/\u{1b}[31m<b onclick=x>\u{202e}"
                stand.provider.scriptAlways(
                    .token,
                    .raw("HTTP/1.1 400 \u{1b}[31mBad\r\nContent-Type: \(type)\r\nContent-Length: 2\r\n\r\nno")
                )
                let refusal = try await stand.refusal("token.get", Self.fresh)
                #expect(OutsideText.leaks(in: refusal).isEmpty, "\(refusal)")
            }
        }

        @Test(arguments: ["access_denied", OutsideText.hostile])
        func `an error that comes with the redirect`(name: String) async throws {
            try await withClean { stand in
                stand.provider.script(
                    .authorize,
                    .editingRedirect {
                        $0["code"] = nil
                        $0["error"] = name
                        $0["error_description"] = OutsideText.hostile
                        $0["error_uri"] = "javascript:" + OutsideText.hostile
                    }
                )
                let refusal = try await failLogin(stand)
                #expect(refusal.kind == "login_failed")
            }
        }

        @Test func `redirects that are not the answer`() async throws {
            try await withClean { stand in
                let login = try await stand.startLogin()
                let bad = WireParameters([
                    ("state", OutsideText.hostile), ("error", OutsideText.hostile), (OutsideText.hostile, "x"),
                    ("iss", OutsideText.hostile),
                ]).encoded
                let browser = BrowserStandIn(asksForIcon: false)
                for url in [login.redirectURI + "?" + bad, login.redirectURI + "/%1b%5b31m%0aforged%20line?" + bad] {
                    let page = try await browser.request("GET", url)
                    #expect(OutsideText.leaks(in: page.body, html: true).isEmpty, "\(page.body)")
                }
                _ = try await stand.client.result("login.cancel", ["login_id": .string(login.id)])
            }
        }

        @Test func `the address of keys that cannot be used, once they are wanted`() async throws {
            try await withClean { stand in
                let behaviour = Behaviour.editingJSON { $0["jwks_uri"] = .string("https://x/" + OutsideText.hostile) }
                stand.provider.scriptAlways(.openIDConfiguration, behaviour)
                stand.provider.scriptAlways(.oauthMetadata, behaviour)
                let refusal = try await failLogin(stand)
                #expect(OutsideText.leaks(in: refusal).isEmpty, "\(refusal)")
            }
        }

        @Test(arguments: ["issuer", "token_endpoint", "authorization_endpoint"])
        func `members of the metadata`(member: String) async throws {
            try await withClean { stand in
                let behaviour = Behaviour.editingJSON { $0[member] = .string("https://x/" + OutsideText.hostile) }
                stand.provider.scriptAlways(.openIDConfiguration, behaviour)
                stand.provider.scriptAlways(.oauthMetadata, behaviour)
                let refusal = try await stand.refusal("login.start", ["account": "work"])
                #expect(OutsideText.leaks(in: refusal).isEmpty, "\(refusal)")
            }
        }

        @Test(arguments: ["iss", "aud", "nonce"])
        func `claims that refuse an ID token`(claim: String) async throws {
            try await withClean { stand in
                stand.provider.script(.token, .editingIDToken { $0.claims[claim] = .string(OutsideText.hostile) })
                let refusal = try await failLogin(stand)
                #expect(refusal.kind == "login_failed")
            }
        }

        @Test(arguments: ["email", "preferred_username", "name"])
        func `claims that say who somebody is`(claim: String) async throws {
            try await withClean { stand in
                stand.provider.change { $0.hasUserinfo = false }
                stand.provider.script(
                    .token,
                    .editingIDToken {
                        $0.claims["email"] = nil
                        $0.claims[claim] = .string(OutsideText.hostile)
                    }
                )
                let page = try await stand.signIn()
                #expect(OutsideText.leaks(in: page.body, html: true).isEmpty, "\(page.body)")
                let status = try await stand.status()
                #expect(OutsideText.leaks(in: status).isEmpty, "\(status)")
            }
        }

        @Test(arguments: ["email", "preferred_username"])
        func `members of the userinfo`(member: String) async throws {
            try await withClean { stand in
                stand.provider.scriptAlways(
                    .userinfo,
                    .editingJSON {
                        $0["email"] = nil
                        $0[member] = .string(OutsideText.hostile)
                    }
                )
                let page = try await stand.signIn()
                #expect(OutsideText.leaks(in: page.body, html: true).isEmpty, "\(page.body)")
                let status = try await stand.status()
                #expect(OutsideText.leaks(in: status).isEmpty, "\(status)")
            }
        }

        @Test(arguments: ["scope", "token_type"])
        func `members of a token answer`(member: String) async throws {
            try await withClean { stand in
                try await stand.signIn()
                stand.provider.scriptAlways(.token, .editingJSON { $0[member] = .string(OutsideText.hostile) })
                do {
                    _ = try await stand.client.result("token.get", Self.fresh)
                } catch let refusal as DaemonRefusal {
                    #expect(OutsideText.leaks(in: refusal).isEmpty, "\(refusal)")
                }
                let status = try await stand.status()
                #expect(OutsideText.leaks(in: status).isEmpty, "\(status)")
            }
        }
    }
}
