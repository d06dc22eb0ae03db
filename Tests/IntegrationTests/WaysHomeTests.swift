// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The three kinds of redirect (RFC 8252, sections 7.1 to 7.3), with the programs.
    @Suite struct WaysHome {
        /// A provider whose user refuses.
        private static var denying: ProviderSettings {
            var settings = ProviderSettings.approving
            settings.authorization = .deny(error: "access_denied")
            return settings
        }

        /// A daemon whose account `work` has that redirect URI.
        private func with(
            _ redirectURI: String,
            _ settings: ProviderSettings = .approving,
            _ body: (Stand) async throws -> Void
        ) async throws {
            try await Stand.with(
                settings,
                prepare: { world, provider in
                    try world.writeAccount("work", issuer: provider.issuer, more: "redirect_uri: \"\(redirectURI)\"")
                },
                body
            )
        }

        /// Where the provider sends a browser that opens this page.
        private func redirect(_ url: String) async throws -> String {
            try #require(try await BrowserStandIn(asksForIcon: false).request("GET", url).header("Location"))
        }

        /// The sign-in URL that a running `tokenctl login` shows.
        private func page(_ login: ChildProcess) async throws -> String {
            String(try await login.talk { $0.contains("/authorize?") }.drop { $0 == " " })
        }

        @Test func `Chromium, xdg-open and the installed handler bring a private-use scheme home (8252-2)`()
            async throws
        {
            try await Stand.with { stand in
                let nano = try await NanoIDP.start(in: stand.session.folder)
                let redirect = "redirect_uri: \"com.example.tokend:/cb\""
                try stand.world.writeAccount("nano", issuer: nano.issuer, more: redirect)
                _ = try await stand.client.result("config.reload")
                let refusal = try await stand.refusal("login.start", ["account": "nano"])
                #expect(refusal.kind == "config_invalid" && refusal.data["scheme"] == "com.example.tokend")
                #expect(refusal.message.contains("“com.example.tokend:/cb”"))
                let tokenctl = Tokenctl(stand.world)
                #expect(try await tokenctl.run("callback", "--install", "com.example.tokend").exitCode == 0)
                let asked = try await stand.session.run(
                    "xdg-mime",
                    ["query", "default", "x-scheme-handler/com.example.tokend"],
                    adding: stand.world.environment
                )
                #expect(asked.output == "tokend-com.example.tokend.desktop\n")

                let login = try tokenctl.start("login", "nano", "--no-browser", "--json")
                let browser = try ChromiumSignIn.start(
                    try await page(login),
                    scheme: "com.example.tokend",
                    name: "scheme",
                    environment: stand.world.environment
                )
                let status = try await browser.whileRunning { try await login.exit(within: .seconds(120)) }
                #expect(status == .code(0), "\(login.errors)\n\(browser.errors)")
                // The end may be known before the last of the output.
                _ = try await login.line { $0.hasSuffix("}") }
                #expect(try JSONReader().read(login.output).object?["account"] == "nano")
                browser.closeInput()
                _ = try await browser.exit()
                _ = try await stand.client.result("token.get", ["account": "nano"])
                #expect(try await tokenctl.run("callback", "--remove", "com.example.tokend").exitCode == 0)
                _ = try await stand.client.result("logout", ["account": "nano"])
                #expect(try await stand.refusal("login.start", ["account": "nano"]).kind == "config_invalid")
                await nano.stop()
            }
        }

        @Test func `a login installs the handler before its browser opens, and the answer comes home (8252-2)`()
            async throws
        {
            try await with("com.example.app:/cb") { stand in
                // A browser as a desktop has it: what the provider redirects to a scheme goes to xdg-open.
                let script = stand.session.folder + "/browser"
                let text = """
                    #!/bin/sh
                    unset BROWSER
                    exec xdg-open "$(curl -s -D - -o /dev/null "$1" | sed -n 's/\r$//; s/^[Ll]ocation: //p')"

                    """
                try Data(text.utf8).write(to: URL(filePath: script))
                try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
                let tokenctl = Tokenctl(stand.world, adding: ["BROWSER": script, "DISPLAY": ":4711"])
                let run = try await tokenctl.run("login", "work")
                #expect(run.exitCode == 0, "\(run)")
                #expect(run.talk.contains("com.example.app: is opened by tokenctl now"))
                #expect(try await stand.status()["state"] == "ready")
                let again = try await tokenctl.run("login", "work")
                #expect(again.exitCode == 0 && !again.talk.contains("is opened by"), "\(again)")
            }
        }

        @Test func `an address that was used, or is of no sign-in, is told so`() async throws {
            try await with("com.example.app:/cb") { stand in
                let tokenctl = Tokenctl(stand.world)
                #expect(try await tokenctl.run("callback", "--install", "com.example.app").exitCode == 0)
                let home = try await redirect(try await stand.startLogin().url)
                let first = try await tokenctl.run(["callback", "-"], input: home + "\n")
                #expect(first.errors == "Signed in to work as alice@example.org.\n", "\(first)")
                let second = try await tokenctl.run("callback", home)
                #expect(second.exitCode == 1 && second.talk.contains("it may have ended"))
                #expect(!second.talk.contains("code="))
                #expect(stand.provider.count(.token) == 1)
            }
        }

        @Test func `a denial that comes home by the scheme ends the login (D5)`() async throws {
            try await with("com.example.app:/cb", Self.denying) { stand in
                let tokenctl = Tokenctl(stand.world)
                #expect(try await tokenctl.run("callback", "--install", "com.example.app").exitCode == 0)
                let login = try tokenctl.start("login", "work", "--no-browser")
                let home = try await redirect(try await page(login))
                #expect(try await tokenctl.run("callback", home).exitCode == 77)
                #expect(try await login.exit() == .code(77))
            }
        }

        @Test func `a claimed https URL is refused at once, or pasted, again where it is wrong (8252-3, E3)`()
            async throws
        {
            try await with("https://app.example.com/cb") { stand in
                let tokenctl = Tokenctl(stand.world)
                let refused = try await tokenctl.run("login", "work")
                #expect(refused.exitCode == 78 && stand.provider.count(.authorize) == 0)
                #expect(refused.talk.contains("“https://app.example.com/cb”"))
                #expect(refused.talk.contains("tokenctl login work --paste"))

                let login = try tokenctl.startTyping("login", "work", "--paste")
                let url = try await page(login)
                let home = try await redirect(url)
                let wrong = [url, home.replacing("/cb", with: "/other"), home.replacing("state=", with: "state=x")]
                for line in wrong { login.write(Array((line + "\n").utf8)) }
                _ = try await login.talk { $0.contains("not the answer to this sign-in") }
                login.write(Array((home + "\n").utf8))
                #expect(try await login.exit() == .code(0), "\(login.errors)")
                #expect(login.errors.contains("so the sign-in is not done yet"))
                #expect(login.errors.contains("another path"))
                let query = WireParameters(String(home.split(separator: "?").last ?? ""))
                #expect(!login.errors.contains(try #require(query["code"])))
                #expect(try await stand.status()["state"] == "ready")
                #expect(stand.provider.count(.token) == 1)
            }
        }

        @Test func `a loopback redirect of a browser elsewhere can be pasted, too`() async throws {
            try await Stand.with { stand in
                let login = try Tokenctl(stand.world).startTyping("login", "work", "--paste")
                login.write(Array((try await redirect(try await page(login)) + "\n").utf8))
                #expect(try await login.exit() == .code(0), "\(login.errors)")
            }
        }

        @Test func `the short start page leads a browser through the whole sign-in`() async throws {
            try await Stand.with { stand in
                let started = try await stand.client.result("login.start", ["account": "work"])
                let start = try #require(started["start_url"]?.string)
                #expect(start.utf8.count < 60)
                let browser = BrowserStandIn()
                let way = try await browser.request("GET", start)
                #expect(way.status == 303 && way.header("Location") == started["authorization_url"]?.string)
                #expect(way.header("Cache-Control") == "no-store" && way.header("Referrer-Policy") == "no-referrer")
                let other = try await browser.request("GET", String(start.dropLast()) + "_")
                #expect(other.status == 404)
                let status = JSONWriter.pretty(.object(try await stand.client.result("status")))
                #expect(!status.contains(start))
                let page = try await browser.signIn(start)
                #expect(page.status == 200)
                let id = try #require(started["login_id"])
                _ = try await stand.client.result("login.wait", ["login_id": id])
                await #expect(throws: (any Error).self) { try await browser.request("GET", start) }
            }
        }

        @Test(arguments: ["com.example.app:/cb", "https://app.example.com/cb", "http://127.0.0.1/callback"])
        func `an application that shows the page itself signs in, whatever the way home`(
            redirectURI: String
        ) async throws {
            try await with(redirectURI) { stand in
                stand.provider.scriptAlways(.authorize, .editingRedirect { $0.append("tenant", "north") })
                let run = try await ChildProcess.run(
                    BuildProducts.program("terminal-front-end"),
                    ["work"],
                    environment: stand.world.environment,
                    within: .seconds(60)
                )
                #expect(run.status == .code(0), "\(run)")
                #expect(
                    run.output == """
                        Signed in to work as alice@example.org.
                          came_back: tenant
                          front_end: terminal
                          tenant: north

                        """
                )
                let token = try await stand.token()
                #expect(token["metadata"]?.object?["tenant"] == "north")
                try await stand.daemon.stop()
                let daemon = try await DaemonProcess.start(stand.world)
                let kept = try await daemon.connect().result("token.get", ["account": "work"])
                #expect(kept["metadata"] == token["metadata"], "it stays with the grant")
                try await daemon.stop()
            }
        }

        @Test func `an application that shows the page is told why a sign-in did not work`() async throws {
            try await with("com.example.app:/cb", Self.denying) { stand in
                let run = try await ChildProcess.run(
                    BuildProducts.program("terminal-front-end"),
                    ["work"],
                    environment: stand.world.environment,
                    within: .seconds(60)
                )
                #expect(run.status == .code(1) && run.output.isEmpty)
                #expect(run.errors.contains("login_failed") && run.errors.contains("refused at the provider"))
            }
        }
    }
}
