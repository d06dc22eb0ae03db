// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Files with faults, and issuers that are not what they should be.
    @Suite struct Configuration {
        @Test func `an account with a fault is named with file and line, and the others go on`() async throws {
            try await Stand.with(prepare: { world, provider in
                try world.writeAccount("work", issuer: provider.issuer)
                try world.writeAccount(
                    "broken",
                    "{\n  issuer: \"\(provider.issuer)\", client_id: \"tokend\",\n  scopess: [],\n}\n"
                )
            }) { stand in
                let broken = try await stand.status("broken")
                #expect(broken["state"]?.string == "misconfigured")
                let refusal = try await stand.refusal("token.get", ["account": "broken"])
                #expect(refusal.kind == "config_invalid")
                #expect(refusal.data["file"]?.string?.hasSuffix("accounts/broken.json5") == true)
                #expect(refusal.data["line"]?.int64 == 3)
                #expect(refusal.data["member"]?.string == "scopess")
                try await stand.signIn()
                _ = try await stand.token()
                try stand.world.writeAccount("broken", issuer: stand.provider.issuer)
                _ = try await stand.client.result("config.reload")
                #expect(try await stand.status("broken")["state"]?.string == "signed_out")
            }
        }

        @Test func `a file that is new or mended is picked up by itself`() async throws {
            try await Stand.with(prepare: { world, _ in try world.writeAccount("work", "{ nonsense") }) { stand in
                try await stand.daemon.notifications.next("STATUS=accounts: 1 misconfigured")
                try stand.world.writeAccount("work", issuer: stand.provider.issuer)
                try await stand.daemon.notifications.next("STATUS=accounts: 1 signed out")
                try stand.world.writeAccount("home", issuer: stand.provider.issuer)
                try await stand.daemon.notifications.next("STATUS=accounts: 2 signed out")
            }
        }

        @Test func `a reload without descriptors drops nobody, says so, and mends itself`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let held = try await stand.token()["access_token"]
                // No number is left for a new descriptor; those that are open stay.
                try await stand.daemon.limitDescriptors(3)
                let refused = try await stand.refusal("config.reload")
                #expect(refused.message.contains("no descriptor left"), "\(refused)")
                _ = try await stand.client.result("events.subscribe")
                stand.daemon.process.signal(SIGHUP)
                while try await stand.client.nextReply()["params"]?.object?["type"] != "config_reloaded" {}
                let daemon = try await stand.client.result("status")["daemon"]?.object
                let config = try #require(daemon?["config"]?.object)
                #expect(config["state"]?.string == "faults")
                let faults = try #require(config["faults"]?.array).compactMap(\.object)
                #expect(faults.contains { $0["message"]?.string?.contains("Too many open files") == true })
                #expect(faults.allSatisfy { $0["mend"]?.string == "wait" })
                #expect(try await stand.token()["access_token"] == held)
                #expect(try await stand.status()["state"]?.string == "ready")
                try await stand.daemon.limitDescriptors(1024)
                var state: String?
                while state != "ok" {
                    try await Task.sleep(for: .milliseconds(200))
                    let daemon = try await stand.client.result("status")["daemon"]?.object
                    state = daemon?["config"]?.object?["state"]?.string
                }
                #expect(try await stand.token()["access_token"] == held)
            }
        }

        @Test func `an account that cannot be written is said in words`() async throws {
            try await Stand.with { stand in
                let accounts = stand.world.configFolder + "/accounts"
                try #require(rename(accounts, accounts + ".away") == 0)
                let file = open(accounts, O_WRONLY | O_CREAT, 0o600)
                close(file)
                let config: JSONValue = ["issuer": .string(stand.provider.issuer), "client_id": "tokend"]
                let refusal = try await stand.refusal("account.add", ["account": "new", "config": config])
                #expect(refusal.kind == "internal_error")
                #expect(refusal.message == "cannot write \(accounts)/new.json5: Not a directory")
            }
        }

        @Test func `a broken config file leaves the daemon answering and telling`() async throws {
            try await Stand.with(prepare: { world, provider in
                try world.writeAccount("work", issuer: provider.issuer)
                try world.writeConfiguration("{ log_level: \"info\", ")
            }) { stand in
                _ = try await stand.client.result("hello")
                let daemon = try await stand.client.result("status")["daemon"]?.object
                let faults = try #require(daemon?["config"]?.object?["faults"]?.array)
                #expect(faults.count == 1)
                #expect(try await stand.refusal("token.get", ["account": "work"]).kind == "config_invalid")
                try stand.world.writeConfiguration("{}")
                _ = try await stand.client.result("config.reload")
                try await stand.signIn()
            }
        }

        @Test func `the grant is held back while its account points elsewhere`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, clientID: "someone-else")
                _ = try await stand.client.result("config.reload")
                #expect(try await stand.refusal("token.get", ["account": "work"]).kind == "login_required")
                try stand.world.writeAccount("work", issuer: stand.provider.issuer)
                _ = try await stand.client.result("config.reload")
                _ = try await stand.token()
            }
        }

        /// What is wrong with an issuer, and the kinds of error that say so.
        static let badDocuments: [(name: String, behaviour: Behaviour, kinds: [String])] = [
            ("another issuer", .editingJSON { $0["issuer"] = "https://other.example" }, ["provider_error"]),
            (
                "a slash too many", .editingJSON { $0["issuer"] = .string(($0["issuer"]?.string ?? "") + "/") },
                ["provider_error"]
            ),
            (
                "an endpoint off https", .editingJSON { $0["token_endpoint"] = "http://other.example/token" },
                ["provider_error"]
            ),
            ("a member of the wrong type", .editingJSON { $0["token_endpoint"] = 7 }, ["provider_error"]),
            ("HTML", .captivePortal, ["provider_unreachable", "provider_error"]),
            ("a fault of its own", .answer(.text("oh", status: 500)), ["provider_unreachable"]),
            ("silence", .closeBeforeCommit, ["provider_unreachable"]),
        ]

        @Test func `an issuer that is wrong is refused before a browser opens`() async throws {
            try await Stand.with { stand in
                for (name, behaviour, kinds) in Self.badDocuments {
                    stand.provider.scriptAlways(.openIDConfiguration, behaviour)
                    stand.provider.scriptAlways(.oauthMetadata, behaviour)
                    let refusal = try await stand.refusal("login.start", ["account": "work"])
                    #expect(kinds.contains(refusal.kind), "\(name): \(refusal)")
                }
                stand.provider.scriptAlways(.openIDConfiguration, nil)
                stand.provider.scriptAlways(.oauthMetadata, nil)
                try await stand.signIn()
            }
        }

        @Test func `an issuer that is down is said to be, and the login works once it is back`() async throws {
            try await Stand.with { stand in
                stand.provider.stop()
                #expect(try await stand.refusal("login.start", ["account": "work"]).kind == "provider_unreachable")
                try stand.provider.restart()
                try await stand.signIn()
            }
        }

        @Test func `plain http off loopback is a fault of the file`() async throws {
            try await Stand.with(prepare: { world, _ in
                try world.writeAccount("work", issuer: "http://login.example.com")
            }) { stand async throws in
                #expect(try await stand.refusal("login.start", ["account": "work"]).kind == "config_invalid")
                #expect(try await stand.status()["state"]?.string == "misconfigured")
            }
        }
    }
}
