// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Programs in real Flatpaks, and what of the main socket is there for them.
    @Suite struct Flatpaks {
        private static let mail = "org.example.Mail"
        private static let other = "org.example.Other"

        private func kind(_ answer: JSONObject) -> String? {
            answer["error"]?.object?["data"]?.object?["kind"]?.string
        }

        @Test func `a Flatpak sees the accounts that it may use, and hears of no others`() async throws {
            try await Stand.with { stand in
                let flatpaks = try await FlatpakStand(stand, Self.mail, Self.other)
                try await stand.signIn()
                let issuer = stand.provider.issuer
                try stand.world.writeAccount("work", issuer: issuer, more: "allow: [\"flatpak:\(Self.mail)\"]")
                try stand.world.writeAccount("home", issuer: issuer, more: "allow: [\"exe:/usr/bin/mutt\"]")
                _ = try await stand.client.result("config.reload")
                let token = try await flatpaks.ask(Self.mail, "token.get", ["account": "work"])
                #expect(token["result"]?.object?["access_token"]?.string?.hasPrefix("at-") == true, "\(token)")
                try await stand.daemon.hasLogged("token served to flatpak:\(Self.mail) /app/bin/ask [")
                #expect(kind(try await flatpaks.ask(Self.other, "token.get", ["account": "work"])) == "not_allowed")
                // What there is for each of them.
                for (id, names) in [(Self.mail, ["work"]), (Self.other, [])] {
                    let answers = try await flatpaks.ask(
                        id,
                        [
                            ["method": "status"], ["method": "token.get"],
                            ["method": "status", "params": ["account": "home"]], ["method": "account.list"],
                        ]
                    )
                    try #require(answers.count == 4)
                    let status = answers[0]["result"]?.object
                    let listed = status?["accounts"]?.array?.compactMap { $0.object?["account"]?.string }
                    #expect(listed == names, "\(answers[0])")
                    let daemon = status?["daemon"]?.object
                    #expect(daemon?["config"]?.object?["folder"] == "" && daemon?["sockets"] == nil)
                    let unknown = answers[1]["error"]?.object?["data"]?.object
                    #expect(unknown?["kind"] == "account_unknown", "\(answers[1])")
                    #expect(unknown?["accounts"] == .array(names.map { .string($0) }))
                    #expect(kind(answers[2]) == "account_unknown" && kind(answers[3]) == "not_allowed")
                }
                // Its user's name goes with the wide token, and with nothing less.
                let whose = try await flatpaks.ask(Self.mail, "status")
                #expect("\(whose)".contains("alice@example.org"))
                let held = "allow: [{ client: \"flatpak:\(Self.mail)\", scope: \"email\" }]"
                try stand.world.writeAccount("work", issuer: issuer, more: held)
                _ = try await stand.client.result("config.reload")
                let less = try await flatpaks.ask(Self.mail, "status")
                #expect("\(less)".contains("work") && !"\(less)".contains("alice@example.org"), "\(less)")
            }
        }

        @Test func `a real Flatpak is known by its ID, and changes nothing unless it is named`() async throws {
            try await Stand.with { stand in
                let flatpaks = try await FlatpakStand(stand, Self.mail)
                try await stand.signIn()
                let work: JSONObject = ["account": "work"]
                for method in ["login.start", "logout", "account.show", "account.remove"] {
                    let answer = try await flatpaks.ask(Self.mail, method, work)
                    #expect(kind(answer) == "not_allowed", "\(answer)")
                    #expect(answer["error"]?.object?["data"]?.object?["client"]?.string == "flatpak:\(Self.mail)")
                }
                let named = "administration: [\"flatpak:\(Self.mail)\"]"
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: named)
                _ = try await stand.client.result("config.reload")
                #expect(try await flatpaks.ask(Self.mail, "account.show", work)["result"] != nil)
                try await stand.daemon.hasLogged("logout refused to flatpak:\(Self.mail)")
            }
        }
    }
}
