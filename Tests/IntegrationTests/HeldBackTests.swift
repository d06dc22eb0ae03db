// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A grant goes only where it was made for, whatever settings are changed.
    @Suite struct HeldBack {
        /// Who changes an account.
        enum Way: CaseIterable {
            /// An editor writes the account's file.
            case file
            /// The preset changes that the account's file names.
            case preset
        }

        /// Nobody listens there.
        private static let elsewhere = "http://127.0.0.1:1/elsewhere"

        /// What a grant records, each with another value.
        private static let edits: [(name: String, members: JSONObject)] = [
            ("issuer", ["issuer": "http://127.0.0.1:1"]),
            ("client", ["client_id": "someone-else"]),
            ("client authentication", ["client_authentication": "client_secret_post"]),
            ("CA", ["tls": ["ca_file": "/etc/ssl/certs/ca-certificates.crt"]]),
            ("exchange", ["exchange": ["url": .string(elsewhere)]]),
            ("token", endpoint("token")),
            ("revocation", endpoint("revocation")),
            ("userinfo", endpoint("userinfo")),
            ("introspection", endpoint("introspection")),
            ("end_session", endpoint("end_session")),
        ]

        private static func endpoint(_ name: String) -> JSONObject {
            ["endpoints": .object([name: .string(elsewhere)])]
        }

        private static func account(_ provider: FakeProvider, _ members: JSONObject = [:]) -> JSONObject {
            var account: JSONObject = [
                "issuer": .string(provider.issuer), "client_id": "tokend", "scopes": ["openid", "email"],
            ]
            for member in members { account[member.name] = member.value }
            return account
        }

        private static func text(_ object: JSONObject) -> String {
            JSONWriter.pretty(.object(object))
        }

        private static func write(_ account: JSONObject, by way: Way, _ world: DaemonWorld) throws {
            switch way {
            case .file:
                try world.writeAccount("work", text(account))
            case .preset:
                try world.writeAccount("work", #"{ provider: "corp" }"#)
                try world.writePreset("corp", text(["title": "T", "about": "a", "account": .object(account)]))
            }
        }

        private static func change(_ account: JSONObject, by way: Way, _ stand: Stand) async throws {
            try write(account, by: way, stand.world)
            _ = try await stand.client.result("config.reload")
        }

        @Test(arguments: Way.allCases)
        func `each recorded value holds the grant back when it changes, and lets it go when it is back`(way: Way)
            async throws
        {
            try await Stand.with(prepare: { try Self.write(Self.account($1), by: way, $0) }) { stand in
                try await stand.signIn()
                let held = try await stand.token()["access_token"]
                for edit in Self.edits {
                    try await Self.change(Self.account(stand.provider, edit.members), by: way, stand)
                    let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                    #expect(refusal.data["reason"] == "config_changed", "\(edit.name): \(refusal)")
                    #expect(try await stand.status()["reason"] == "config_changed", "\(edit.name)")
                    try await Self.change(Self.account(stand.provider), by: way, stand)
                    #expect(try await stand.token()["access_token"] == held, "\(edit.name)")
                }
            }
        }

        @Test func `so does a proxy, which config.json5 alone can name`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let held = try await stand.token()["access_token"]
                try stand.world.writeConfiguration(#"{ http: { proxy: "http://127.0.0.1:1" } }"#)
                _ = try await stand.client.result("config.reload")
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.data["reason"] == "config_changed")
                try stand.world.writeConfiguration("{}")
                _ = try await stand.client.result("config.reload")
                #expect(try await stand.token()["access_token"] == held)
            }
        }
    }
}
