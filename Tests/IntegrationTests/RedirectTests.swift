// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// What reaches the loopback listener and is not the answer that it waits for.
    @Suite struct Redirects {
        /// A way of being wrong, as the parameters of a redirect that would otherwise be right.
        struct Forgery: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let edit: @Sendable (inout WireParameters) -> Void

            init(_ name: String, _ edit: @escaping @Sendable (inout WireParameters) -> Void) {
                testDescription = name
                self.edit = edit
            }
        }

        static let forgeries = [
            Forgery("a wrong state") { $0["state"] = "forged-forged-forged-forged-forged-forged-f" },
            Forgery("no state") { $0["state"] = nil },
            Forgery("an empty state") { $0["state"] = "" },
            Forgery("two states") { $0.append("state", $0["state"] ?? "") },
            Forgery("two codes") { $0.append("code", "another") },
            Forgery("two issuers") { $0.append("iss", $0["iss"] ?? "") },
            Forgery("an error and its double") {
                $0["code"] = nil
                $0.append("error", "access_denied")
                $0.append("error", "access_denied")
            },
        ]

        @Test(arguments: forgeries)
        func `a forged redirect is refused and the login goes on`(forgery: Forgery) async throws {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                let browser = BrowserStandIn(asksForIcon: false)
                var answer = WireParameters([
                    ("code", "forged"), ("state", login.state), ("iss", stand.provider.issuer),
                ])
                forgery.edit(&answer)
                let page = try await browser.request("GET", login.redirectURI + "?" + answer.encoded)
                #expect((400..<500).contains(page.status))
                #expect(stand.provider.count(.token) == 0)
                try await finish(login, stand)
            }
        }

        @Test func `an answer from another issuer ends in no token request`() async throws {
            try await Stand.with { stand in
                stand.provider.script(.authorize, .editingRedirect { $0["iss"] = "https://mixed-up.example" })
                let login = try await stand.startLogin()
                _ = try await BrowserStandIn().open(login.url)
                #expect(stand.provider.count(.token) == 0)
            }
        }

        @Test func `what is not the redirect gets a 4xx, and the login goes on`() async throws {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                let address = try #require(HTTPAddress(login.redirectURI))
                let path = address.target
                let answer = WireParameters([
                    ("code", "c"), ("state", login.state), ("iss", stand.provider.issuer),
                ]).encoded
                let host = "Host: \(address.authority)\r\n"
                let requests = [
                    "GET /favicon.ico HTTP/1.1\r\n" + host,
                    "GET \(path)/more?\(answer) HTTP/1.1\r\n" + host,
                    "POST \(path)?\(answer) HTTP/1.1\r\nContent-Length: 0\r\n" + host,
                    "PUT \(path)?\(answer) HTTP/1.1\r\nContent-Length: 0\r\n" + host,
                    "GET \(path)?\(answer) HTTP/1.1\r\nHost: rebound.example\r\n",
                    "GET \(path)?\(answer) HTTP/1.1\r\nSec-Purpose: prefetch\r\n" + host,
                ]
                for request in requests {
                    let reply = try await blocking {
                        let connection = try RawConnection(address)
                        try connection.send(request + "Connection: close\r\n\r\n")
                        return try connection.readAnswer()
                    }
                    #expect((400..<500).contains(reply.status), "\(request)")
                }
                #expect(stand.provider.count(.token) == 0)
                try await finish(login, stand)
            }
        }

        @Test func `bytes that are no HTTP do not disturb a login`() async throws {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                let address = try #require(HTTPAddress(login.redirectURI))
                let noise = try RawConnection(address)
                try noise.send("\u{0}\u{1}no HTTP at all\r\n\r\n")
                let half = try RawConnection(address)
                try half.send("GET \(address.target)?code=")
                try await finish(login, stand)
            }
        }

        @Test func `a page that fills the port with slow requests, and asks without end, keeps no answer out`()
            async throws
        {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                let address = try #require(HTTPAddress(login.redirectURI))
                // As a page elsewhere makes a browser send it: it may ask, and gets nothing that it can read.
                let asking =
                    "POST \(address.target) HTTP/1.1\r\nHost: \(address.authority)\r\nOrigin: https://evil.example\r\n"
                    + "Sec-Fetch-Site: cross-site\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\nstate=x"
                let slow = try await blocking {
                    try (0..<300).map { number in
                        let connection = try RawConnection(address)
                        try connection.send(number % 3 == 0 ? "" : String(asking.dropLast(number % 40 + 1)))
                        return connection
                    }
                }
                for _ in 0..<50 {
                    let reply = try await blocking {
                        let connection = try RawConnection(address)
                        try connection.send(asking.replacing("\r\nOrigin", with: "\r\nConnection: close\r\nOrigin"))
                        return try connection.readAnswer()
                    }
                    #expect(reply.status == 405)
                    #expect(!reply.headers.contains { $0.name.lowercased().hasPrefix("access-control") })
                }
                try await finish(login, stand)
                withExtendedLifetime(slow) {}
            }
        }

        @Test func `a redirect that comes a second time changes nothing`() async throws {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                let browser = BrowserStandIn(asksForIcon: false)
                let way = try await browser.request("GET", login.url)
                let redirect = try #require(way.header("Location"))
                _ = try await browser.request("GET", redirect)
                _ = try? await browser.request("GET", redirect)
                _ = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
                #expect(stand.provider.count(.token) == 1)
                #expect(try await stand.status()["state"]?.string == "ready")
            }
        }

        /// The login that was disturbed still ends well.
        private func finish(_ login: Stand.Login, _ stand: Stand) async throws {
            let page = try await BrowserStandIn().signIn(login.url)
            #expect(page.status == 200)
            _ = try await stand.client.result("login.wait", ["login_id": .string(login.id)])
            #expect(stand.provider.count(.token) == 1)
        }
    }
}
