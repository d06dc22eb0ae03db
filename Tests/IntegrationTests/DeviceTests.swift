// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A sign-in on another device (RFC 8628), with the built programs.
    @Suite struct Device {
        /// The code in what `tokenctl` shows.
        private static func code(_ text: String) -> String? {
            text.firstMatch(of: /[B-Z]{4}-[B-Z]{4}/).map { String($0.output) }
        }

        @Test func `the code, the page and the provider's host are told, and the code signs in (8628-3, 8628-7)`()
            async throws
        {
            try await Stand.with { stand in
                let tokenctl = try Tokenctl(stand.world).start("login", "work", "--device", "--json")
                let line = try await tokenctl.talk { Self.code($0) != nil }
                let code = try #require(Self.code(line))
                #expect(line == "  " + code)
                let host = stand.provider.origin.dropFirst("http://".count)
                #expect(tokenctl.errors.hasPrefix("Sign in to work at \(host): on any device, open\n\n"))
                #expect(tokenctl.errors.contains("\n  \(stand.provider.url(of: .device))\n"))
                #expect(try await stand.status()["state"]?.string == "login_pending")
                let page = try await BrowserStandIn().open(stand.provider.url(of: .device))
                let answer = ["user_code": code, "username": "alice", "password": "wonderland", "answer": "allow"]
                #expect(try await BrowserStandIn().submit(page, answer).status == 200)
                #expect(try await tokenctl.exit() == .code(0))
                _ = try await tokenctl.line { $0.hasSuffix("}") }
                #expect(try JSONReader().read(tokenctl.output).object?["identity"]?.string == "alice@example.org")
                #expect(!tokenctl.errors.contains("\u{1B}") && !tokenctl.errors.contains("█"))
                #expect(try await stand.status()["flow"]?.string == "device")
                #expect(try await stand.token(["fresh": true])["refreshed"]?.bool == true)
            }
        }

        @Test(arguments: [nil, "1"]) func `a terminal shows a QR code that a camera reads (8628-3)`(noColour: String?)
            async throws
        {
            try await Stand.with { stand in
                let variables = noColour.map { ["NO_COLOR": $0] } ?? [:]
                let tokenctl = try Tokenctl(stand.world, adding: variables)
                    .startAtTerminal("login", "work", "--device")
                let line = try await tokenctl.line { Self.code($0) != nil }
                let code = try #require(Self.code(line))
                stand.provider.approveDevice(userCode: code)
                #expect(try await tokenctl.exit() == .code(0))
                let screen = tokenctl.output
                let read = try await ChildProcess.run(
                    "/usr/bin/python3",
                    [BuildProducts.source + "/scripts/lib/read-qr"],
                    environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONUTF8": "1"],
                    input: .text(screen)
                )
                let page = stand.provider.url(of: .device) + "?user_code=" + code + "\n"
                #expect(read.output == page, "\(read.errors)\n\(screen)")
                #expect((noColour == nil) == screen.contains("\u{1B}[38;5;16;48;5;231m"))
            }
        }

        @Test func `a refusal on the other device ends it, and Ctrl-C ends the polls`() async throws {
            try await Stand.with { stand in
                let refused = try Tokenctl(stand.world).start("login", "work", "--device")
                let line = try await refused.talk { Self.code($0) != nil }
                stand.provider.denyDevice(userCode: try #require(Self.code(line)))
                #expect(try await refused.exit() == .code(77))
                #expect(refused.errors.contains("was refused at the provider"))
                let left = try Tokenctl(stand.world).start("login", "work", "--device")
                _ = try await left.talk { Self.code($0) != nil }
                left.signal(SIGINT)
                #expect(try await left.exit() == .code(130))
                #expect(try await stand.status()["login"] == nil)
            }
        }

        @Test func `a provider without device logins is told with the other way (E9)`() async throws {
            var settings = ProviderSettings.approving
            settings.hasDeviceFlow = false
            try await Stand.with(settings) { stand in
                let run = try await Tokenctl(stand.world).run("login", "work", "--device")
                #expect(run.exitCode == 65)
                #expect(run.talk.contains("sign in with a browser instead: tokenctl login work"))
            }
        }

        @Test func `an account that is made with a code keeps to it`() async throws {
            try await Stand.with { stand in
                let issuer = stand.provider.issuer
                let tokenctl = try Tokenctl(stand.world)
                    .start("login", "tv", "--device", "--issuer", issuer, "--client-id", "tokend", "--scope", "openid")
                let line = try await tokenctl.talk { Self.code($0) != nil }
                stand.provider.approveDevice(userCode: try #require(Self.code(line)))
                #expect(try await tokenctl.exit() == .code(0))
                let shown = try await stand.client.result("account.show", ["account": "tv"])
                #expect(shown["config"]?.object?["flow"] == "device")
                let again = try await stand.client.result("login.start", ["account": "tv"])
                #expect(again["flow"] == "device" && again["issuer"]?.string == issuer)
            }
        }
    }
}
