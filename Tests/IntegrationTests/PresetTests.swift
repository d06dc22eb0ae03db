// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A preset of the user's own, with the real programs.
    @Suite struct Presets {
        private static func preset(_ provider: FakeProvider, clientID: String = "tokend") -> String {
            """
            { title: "The corporation", about: "ours", notes: ["Mind the step"],
              asks: { path: { about: "a path", example: "callback" } },
              account: { issuer: "\(provider.issuer)", client_id: "\(clientID)", scopes: ["openid", "email"],
                redirect_uri: "http://127.0.0.1/{path}" } }
            """
        }

        @Test
        func `a preset signs in, is picked up when it changes, and holds the grant back where it points elsewhere`()
            async throws
        {
            try await Stand.with(prepare: { world, provider in
                try world.writePreset("corp", Self.preset(provider))
                try world.writeAccount("work", #"{ provider: "corp", set: { path: "callback" } }"#)
            }) { stand in
                let login = try await stand.startLogin()
                #expect(login.redirectURI.hasSuffix("/callback"))
                _ = try await BrowserStandIn().signIn(login.url)
                _ = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
                _ = try await stand.token()
                try stand.world.writePreset("corp", Self.preset(stand.provider, clientID: "other"))
                try await stand.daemon.notifications.next("STATUS=accounts: 1 login required")
                let refusal = try await stand.refusal("token.get", ["account": "work"])
                #expect(refusal.data["reason"] == "config_changed")
                try stand.world.writePreset("corp", Self.preset(stand.provider))
                _ = try await stand.client.result("config.reload")
                _ = try await stand.token()
                let shown = try await stand.client.result("account.show", ["account": "work"])
                #expect(shown["provider"] == "corp")
            }
        }

        @Test func `tokenctl makes an account of a preset, and lists it with its file`() async throws {
            try await Stand.with(prepare: { try $0.writePreset("corp", Self.preset($1)) }) { stand in
                let tokenctl = Tokenctl(stand.world)
                let added = try await tokenctl.run(
                    "account",
                    "add",
                    "work",
                    "--provider",
                    "corp",
                    "--set",
                    "path=callback"
                )
                #expect(added.exitCode == 0, "\(added)")
                #expect(try await stand.status()["issuer"] == .string(stand.provider.issuer))
                let list = try await tokenctl.run("account", "add", "--list-providers", "--json")
                let providers = try #require(JSONReader().read(list.output).object?["providers"]?.array)
                let corp = providers.compactMap(\.object).first { $0["provider"] == "corp" }
                #expect(corp?["file"]?.string?.hasSuffix("providers/corp.json5") == true && providers.count > 20)
                let wrong = try await tokenctl.run("account", "add", "x", "--provider", "cort", "--client-id", "c")
                #expect(wrong.exitCode == 78 && wrong.talk.contains("did you mean “corp”?"), "\(wrong)")
            }
        }

        @Test func `a server that publishes no list changes nothing`() async throws {
            try await Stand.with { stand in
                let url = stand.provider.issuer + "/providers.json"
                let outcome = try await Tokenctl(stand.world).run("account", "add", "--providers-from", url)
                #expect(
                    outcome.exitCode == 0 && outcome.talk.hasSuffix("\nNothing was changed.\n"),
                    "\(outcome)"
                )
                #expect(outcome.talk.contains("publishes no list of providers there"))
                let names = try await stand.client.result("account.list")["accounts"]
                #expect(names == ["work"])
            }
        }
    }
}
