// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// An application's own token, traded at its backend for the provider's.
    @Suite struct ApplicationToken {
        /// A daemon whose account `work` is about the backend's tokens.
        private func with(_ body: (Stand, ApplicationBackend) async throws -> Void) async throws {
            let backend = try ApplicationBackend()
            defer { backend.stop() }
            let setting = """
                exchange: { url: "\(backend.url)", field: "id_token", token: "session.token",
                            expires_in: "session.expires_in" },
                scopes_from: "\(backend.scopesURL)"
                """
            try await Stand.with(prepare: { try $0.writeAccount("work", issuer: $1.issuer, more: setting) }) { stand in
                try await body(stand, backend)
            }
        }

        @Test func `apps get the application's token, fresh through the provider's refresh token`() async throws {
            try await with { stand, backend in
                try await stand.signIn()
                let first = try await stand.token(["id_token": true])
                #expect(first["access_token"]?.string == "session-1")
                #expect((7100...7200).contains(try #require(first["expires_in"]?.int64)))
                #expect(backend.seen == [try #require(first["id_token"]?.string)])
                let second = try await stand.token(["rejected": "session-1"])
                #expect(second["access_token"]?.string == "session-2" && second["refreshed"]?.bool == true)
                #expect(stand.provider.count(grantType: "refresh_token") == 1)
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                let client = try daemon.connect()
                let third = try await client.result("token.get", ["account": "work"])
                #expect(third["access_token"]?.string == "session-2")
                #expect(try await client.result("logout", ["account": "work"])["revoked"]?.bool == true)
                let shown = stand.provider.events.filter { $0.endpoint == .revocation }.map {
                    $0.parameters["token"] ?? ""
                }
                #expect(!shown.isEmpty && !shown.contains { $0.hasPrefix("session-") })
                try await daemon.stop()
            }
        }

        @Test func `the backend's own errors are told, and the grant stays`() async throws {
            try await with { stand, backend in
                try await stand.signIn()
                backend.refuse(.json(["message": "no seat left"], status: 403))
                let refusal = try await stand.refusal("token.get", ["account": "work", "rejected": "session-1"])
                #expect(refusal.kind == "provider_error" && refusal.data["http_status"]?.int64 == 403)
                #expect(refusal.data["host"]?.string == "127.0.0.1" && refusal.message.contains("no seat left"))
                #expect(try await stand.token()["access_token"]?.string == "session-1")
                #expect(try await stand.keyringItem().contains("rt-"))
                for token in backend.seen { #expect(!stand.daemon.log.contains(token)) }
                #expect(!stand.daemon.log.contains("session-1"))
            }
        }

        @Test func `a sign-in that the backend refuses says so in the browser, and keeps nothing`() async throws {
            try await with { stand, backend in
                backend.refuse(.json(["error": "unknown_user"], status: 403))
                let login = try await stand.startLogin()
                let page = try await BrowserStandIn().open(login.url)
                #expect(page.body.contains("unknown_user"))
                #expect(try await stand.refusal("login.wait", ["login_id": .string(login.id)]).kind == "provider_error")
                #expect(try await stand.keyringItem().isEmpty)
            }
        }

        @Test func `the backend names the scopes, and an older one changes nothing`() async throws {
            try await with { stand, backend in
                backend.name(["email", "read"])
                try await stand.signIn()
                #expect(try await stand.status()["scope"]?.string == "openid email read offline_access")
                backend.name([])
                let login = try await stand.startLogin()
                let scope = try #require(WireParameters(String(login.url.split(separator: "?").last ?? ""))["scope"])
                #expect(scope.hasPrefix("openid email offline_access"))
            }
        }
    }
}
