// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import JOSE
import Secrets
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Clients that authenticate, with the built programs and a keyring: by one method each, from the secret store alone.
    @Suite struct Clients {
        private static let secret = "s3cr3t+/:%&= of the client"

        private static func settings(_ method: String) -> ProviderSettings {
            var settings = ProviderSettings.approving
            settings.clients[0].secret = secret
            settings.clients[0].authentication = method
            return settings
        }

        private static func prepare(_ method: String) -> (DaemonWorld, FakeProvider) throws -> Void {
            { world, provider in
                try world.writeAccount("work", issuer: provider.issuer, more: "client_authentication: \"\(method)\"")
            }
        }

        /// A file with a secret in it, outside of what the daemon writes.
        private func file(_ text: String, _ stand: Stand) throws -> String {
            let path = stand.session.folder + "/given"
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }

        @Test(arguments: ["client_secret_basic", "client_secret_post"])
        func `a client with a secret signs in, renews and signs out by its one way (6749-4)`(method: String)
            async throws
        {
            try await Stand.with(Self.settings(method), prepare: Self.prepare(method)) { stand in
                let refusal = try await stand.refusal("login.start", ["account": "work"])
                #expect(refusal.kind == "config_invalid" && refusal.message.contains("tokenctl account secret work"))
                let given = try await Tokenctl(stand.world)
                    .run("account", "secret", "work", "--file", file(Self.secret, stand))
                #expect(given.exitCode == 0, "\(given)")
                try await stand.signIn()
                #expect(try await stand.token(["fresh": true])["refreshed"] == true)
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                let client = try daemon.connect()
                let fresh = try await client.result("token.get", ["account": "work", "fresh": true])
                #expect(fresh["refreshed"] == true)
                #expect(try await client.result("logout", ["account": "work"])["revoked"] == true)
                // Signed out, the client is still the client.
                let login = try await client.result("login.start", ["account": "work"])
                _ = try await client.result("login.cancel", ["login_id": login["login_id"] ?? .null])
                try await daemon.stop()
            }
        }

        @Test func `a client with a key signs in and renews`() async throws {
            let key = try SigningKey.generate(.es256)
            var settings = ProviderSettings.approving
            settings.clients[0].key = .object(key.publicJWK)
            settings.clients[0].authentication = "private_key_jwt"
            try await Stand.with(settings, prepare: Self.prepare("private_key_jwt")) { stand in
                let path = try file(key.exportPEM().reveal(), stand)
                let given = try await Tokenctl(stand.world)
                    .run("account", "secret", "work", "--kind", "client_key", "--file", path)
                #expect(given.exitCode == 0, "\(given)")
                try await stand.signIn()
                #expect(try await stand.token(["fresh": true])["refreshed"] == true)
                #expect(try await stand.client.result("logout", ["account": "work"])["revoked"] == true)
            }
        }

        @Test func `the secret is in the keyring and nowhere else, whatever the provider echoes (canary)`() async throws
        {
            try await Stand.with(
                Self.settings("client_secret_basic"),
                arguments: ["--log-level", "debug"],
                prepare: Self.prepare("client_secret_basic")
            ) { stand in
                let path = try file(Self.secret, stand)
                let given = try await Tokenctl(stand.world).run("account", "secret", "work", "--file", path)
                try FileManager.default.removeItem(atPath: path)
                try await stand.signIn()
                let echo = "no client with " + Self.secret
                stand.provider.script(
                    .token,
                    .answer(.oauthError("invalid_client", description: echo, status: 401))
                )
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.kind == "provider_error" && refusal.message.contains("account secret"))
                let shown = try await stand.client.call("account.show", ["account": "work"])
                let status = try await stand.client.call("status")
                let id = stand.daemon.process.processID
                let pair = Data("tokend:s3cr3t%2B%2F%3A%25%26%3D+of+the+client".utf8).base64EncodedString()
                let places: [(String, [UInt8])] =
                    try stand.files() + [
                        ("the log", Array(stand.daemon.log.utf8)), ("talk", Array(given.description.utf8)),
                        ("replies", Array("\(shown)\(status)\(refusal.message)".utf8)),
                        ("the environment", [UInt8](try Data(contentsOf: URL(filePath: "/proc/\(id)/environ")))),
                        ("the arguments", [UInt8](try Data(contentsOf: URL(filePath: "/proc/\(id)/cmdline")))),
                    ]
                for (place, bytes) in places {
                    for word in [Self.secret, "s3cr3t%2B%2F%3A", "s3cr3t", String(pair.prefix(40))] {
                        #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(word.prefix(4))… in \(place)")
                    }
                }
                let found = try await stand.session.run(
                    "secret-tool",
                    ["search", "--all", "application", "tokend", "account", "work", "kind", "client"]
                )
                #expect(found.output.contains("s3cr3t"))
            }
        }

        @Test func `a program's own account is made, fetches, and serves after a restart what it had`() async throws {
            try await Stand.with(Self.settings("client_secret_post")) { stand in
                let tokenctl = Tokenctl(stand.world)
                let made = try await tokenctl.run(
                    "account",
                    "add",
                    "bot",
                    "--issuer",
                    stand.provider.issuer,
                    "--client-id",
                    "tokend",
                    "--client-secret-file",
                    file(Self.secret, stand),
                    "--client-authentication",
                    "client_secret_post",
                    "--flow",
                    "client_credentials",
                    "--scope",
                    "read"
                )
                #expect(made.exitCode == 0, "\(made)")
                let first = try await tokenctl.run("token", "bot")
                #expect(first.exitCode == 0 && !first.output.isEmpty, "\(first)")
                #expect(try await tokenctl.run("token", "bot").output == first.output)
                #expect(stand.provider.count(grantType: "client_credentials") == 1)
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                #expect(try await tokenctl.run("token", "bot").output == first.output)
                #expect(stand.provider.count(grantType: "client_credentials") == 1)
                let login = try await tokenctl.run("login", "bot")
                #expect(login.exitCode == 0 && login.talk.contains("bot has a token"), "\(login)")
                #expect(try await tokenctl.run("logout", "bot").exitCode == 0)
                #expect(try await tokenctl.run("token", "bot").exitCode == 0)
                #expect(stand.provider.count(grantType: "client_credentials") == 3)
                let removed = try await tokenctl.run("account", "remove", "bot")
                #expect(removed.exitCode == 0, "\(removed)")
                let left = try await stand.session.run(
                    "secret-tool",
                    ["search", "--all", "application", "tokend", "account", "bot"]
                )
                #expect(!left.output.contains("secret ="))
                try await daemon.stop()
            }
        }
    }
}
