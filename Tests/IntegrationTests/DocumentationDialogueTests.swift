// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing
import TokendProtocol

extension Programs {
    /// docs/protocol.md against a real daemon: its examples are one long conversation.
    @Suite struct DocumentationDialogue {
        private static let page = DocumentationPage.named("docs/protocol.md")

        @Test func `the examples happen as they are written`() async throws {
            try await Stand.with { stand in
                var dialogue = Dialogue(stand: stand)
                for exchange in DocumentationExchange.all(in: Self.page) { try await dialogue.play(exchange) }
            }
        }

        @Test func `the methods are those of hello, and the names that are taken are the others`() async throws {
            try await Stand.with { stand in
                let served = try #require(try await stand.client.result("hello")["methods"]?.object)
                let signatures = DocumentationSignature.all(in: Self.page)
                #expect(Set(signatures.keys) == Set(served.map(\.name)))
                for (method, signature) in signatures {
                    let names = Set(served[method]?.array?.compactMap(\.string) ?? [])
                    #expect(signature.required.union(signature.optional) == names, "\(method)")
                }
                let taken = Set(Method.allCases.map(\.rawValue)).subtracting(served.map(\.name))
                let end = try #require(Self.page.text.split(separator: "## Names that are taken").last)
                let named = end.split(separator: "`").map(String.init)
                #expect(Set(named.filter { Method(rawValue: $0) != nil && $0 != "hello" }) == taken)
            }
        }

    }

    /// The conversation, and what a later example needs of an earlier one.
    private struct Dialogue {
        let stand: Stand
        private var authorizationURL = ""
        /// Words in capitals, with what they stand for.
        private var values: [String: String] = [:]
        private var asking: ChildProcess?
        /// A question waits only while somebody may answer it.
        private var answering: SocketClient?

        init(stand: Stand) {
            self.stand = stand
        }

        mutating func play(_ exchange: DocumentationExchange) async throws {
            let method = try exchange.method()
            // The page shows one preset of many, and a server that is not here; BrokerTests play both.
            guard !method.hasPrefix("provider.") else { return }
            try await prepare(method)
            var line = exchange.request
            for (word, value) in values { line = line.replacing("\"\(word)\"", with: "\"\(value)\"") }
            stand.client.sendLine(line)
            for expected in exchange.answers {
                let page = try JSONReader().read(expected)
                let answer = try await next(event: page.object?["params"]?.object?["type"])
                #expect(
                    DocumentationComparison.differences(page, .object(answer)) == [],
                    "\(method), docs/protocol.md:\(exchange.line): \(answer)"
                )
                keep(answer["result"]?.object ?? [:])
            }
        }

        /// What a user, a provider or another program does before this method is called.
        private mutating func prepare(_ method: String) async throws {
            switch method {
            case "login.wait":
                _ = try await BrowserStandIn().signIn(authorizationURL)
            case "login.complete":
                let login = try await stand.startLogin()
                let page = try await BrowserStandIn(asksForIcon: false).request("GET", login.url)
                let location = try #require(page.header("Location"))
                values["REDIRECT-URL"] = location
            case "login.cancel":
                values["LOGIN-ID"] = try await stand.startLogin().id
            case "account.import":
                let token = try #require(stand.provider.liveRefreshTokens.first)
                values["REFRESH-TOKEN"] = token
            case "confirm.answer":
                try await beAsked()
            default:
                break
            }
        }

        /// A program asks for a token of an account that asks its user.
        private mutating func beAsked() async throws {
            try stand.world.writeAccount("asking", issuer: stand.provider.issuer, more: "confirm: \"first\"")
            let answering = try stand.daemon.connect()
            self.answering = answering
            _ = try await answering.result("config.reload")
            _ = try await answering.result("events.subscribe", ["confirms": true])
            let line = #"{"method":"token.get","params":{"account":"asking"}}"#
            asking = try ChildProcess(
                "/usr/bin/socat",
                ["-t30", "-", "UNIX-CONNECT:" + stand.world.socketPath],
                environment: [:],
                input: .text(line + "\n")
            )
            var event: JSONObject = [:]
            while event["type"] != "confirm_wanted" {
                event = try await answering.nextReply()["params"]?.object ?? [:]
            }
            values["QUESTION-ID"] = event["id"]?.string
            values["CLIENT"] = event["client"]?.string
        }

        /// The next event of that type, or, without one, the next reply; whatever else happens is passed over.
        private func next(event type: JSONValue?) async throws -> JSONObject {
            while true {
                let answer = try await stand.client.nextReply()
                if answer["params"]?.object?["type"] == type { return answer }
            }
        }

        private mutating func keep(_ result: JSONObject) {
            if let id = result["login_id"]?.string { values["LOGIN-ID"] = id }
            if let url = result["authorization_url"]?.string { authorizationURL = url }
            if let token = result["access_token"]?.string { values["ACCESS-TOKEN"] = token }
        }
    }
}
