// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Fixed redirect ports that more than one wants (field failures D7, D9, D12).
    @Suite struct SharedPort {
        /// Two accounts at one provider, whose redirects are these with the same port.
        private func with(
            _ redirects: (work: String, home: String),
            _ body: (Stand, UInt16) async throws -> Void
        ) async throws {
            let port = try FreePort.find()
            let texts = [redirects.work, redirects.home].map { $0.replacing("PORT", with: "\(port)") }
            var settings = ProviderSettings.approving
            settings.clients = [ProviderClient(redirectURIs: texts)]
            try await Stand.with(
                settings,
                prepare: { world, provider in
                    for (name, text) in zip(["work", "home"], texts) {
                        try world.writeAccount(name, issuer: provider.issuer, more: "redirect_uri: \"\(text)\"")
                    }
                }
            ) { stand in
                try await body(stand, port)
            }
        }

        @Test(arguments: [
            ("http://127.0.0.1:PORT/callback", "http://127.0.0.1:PORT/callback"),
            ("http://127.0.0.1:PORT/callback", "http://127.0.0.1:PORT/other"),
            ("http://127.0.0.1:PORT/callback", "http://localhost:PORT/callback"),
            ("http://localhost:PORT/callback", "http://[::1]:PORT/callback"),
        ])
        func `two accounts sign in at the same time on one fixed port (D12)`(work: String, home: String) async throws {
            try await with((work, home)) { stand, port in
                let first = try await stand.startLogin("work")
                let second = try await stand.startLogin("home")
                let addresses = try [first, second].map { try #require(HTTPAddress($0.redirectURI)) }
                #expect(addresses.allSatisfy { $0.port == port })
                // What is nobody's: a state that no login has, at both.
                for login in [first, second] {
                    let page = try await BrowserStandIn(asksForIcon: false)
                        .request("GET", login.redirectURI + "?code=c&state=nobody")
                    #expect((400..<500).contains(page.status))
                }
                for (name, login) in [("home", second), ("work", first)] {
                    let page = try await BrowserStandIn(asksForIcon: false).signIn(login.url)
                    #expect(page.status == 200 && page.body.contains(">\(name)<"), "\(page.body)")
                    let result = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
                    #expect(result["account"]?.string == name)
                }
                for address in addresses { #expect(throws: SystemCallError.self) { try RawConnection(address) } }
            }
        }

        @Test func `a person's no on a shared port ends that login alone (D5, D12)`() async throws {
            try await with(("http://127.0.0.1:PORT/callback", "http://127.0.0.1:PORT/callback")) { stand, _ in
                let work = try await stand.startLogin("work")
                let home = try await stand.startLogin("home")
                stand.provider.script(
                    .authorize,
                    .editingRedirect { parameters in
                        parameters["code"] = nil
                        parameters.append("error", "access_denied")
                    }
                )
                _ = try await BrowserStandIn(asksForIcon: false).open(home.url)
                #expect(try await stand.refusal("login.wait", ["login_id": .string(home.id)]).kind == "login_failed")
                _ = try await BrowserStandIn(asksForIcon: false).signIn(work.url)
                let result = try await stand.client.result("login.wait", ["login_id": .string(work.id)])
                #expect(result["account"]?.string == "work")
            }
        }

        @Test(arguments: ["127.0.0.1", "::1", "::"])
        func `another program's port is refused before a browser opens, with port and holder (D7, D9, D12)`(
            host: String
        ) async throws {
            try await with(("http://localhost:PORT/callback", "http://127.0.0.1:PORT/callback")) { stand, port in
                let script = """
                    import socket, sys
                    v6 = ":" in sys.argv[1]
                    s = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET)
                    if v6: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    s.bind((sys.argv[1], int(sys.argv[2])))
                    s.listen()
                    print("ready", flush=True)
                    s.accept()
                    """
                // Where it is free for one of them, that one's login is under way before the other program comes.
                let home = host == "127.0.0.1" ? nil : try await stand.startLogin("home")
                let holder = try ChildProcess(
                    "python3",
                    ["-c", script, host, "\(port)"],
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                #expect(try await holder.line() == "ready")
                let refusal = try await stand.refusal("login.start", ["account": "work"])
                #expect(refusal.kind == "config_invalid")
                #expect(refusal.message.contains("port \(port)"))
                #expect(refusal.message.contains("another program (python3"))
                #expect(stand.provider.count(.authorize) == 0)
                guard let home else { return }
                _ = try await BrowserStandIn(asksForIcon: false).signIn(home.url)
                _ = try await stand.client.result("login.wait", ["login_id": .string(home.id)])
            }
        }
    }
}
