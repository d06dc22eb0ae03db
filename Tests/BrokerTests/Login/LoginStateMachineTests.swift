// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Testing

@testable import Broker

/// A login's listener by values: what a stranger can send, and what is an answer.
@Suite struct LoginStateMachineTests {
    private static let host = "127.0.0.1:4711"

    private static func machine(issuer: String? = "https://idp.example", requiresIssuer: Bool = false) throws
        -> LoginStateMachine
    {
        LoginStateMachine(
            path: "/callback",
            hosts: [host],
            pageName: "page",
            startName: "start",
            expected: .init(state: "s+1", issuer: try issuer.map { try Issuer($0) }, requiresIssuer: requiresIssuer)
        )
    }

    private static func request(
        _ query: String? = "code=c&state=s%2B1",
        path: String = "/callback",
        method: HTTPMethod? = .get,
        headers: HTTPHeaders = ["Host": host]
    ) -> RedirectRequest {
        RedirectRequest(method: method, path: path, query: query, headers: headers)
    }

    /// What an action is, in a word.
    private static func word(_ action: LoginStateMachine.Action) -> String {
        switch action {
        case .answer(.refused(let status)): "\(status)"
        case .answer(let answer): "\(answer)"
        case .exchange(let code): "exchange \(code.reveal())"
        case .end(.refused(let body)): "refused \(body.error)"
        case .end(.check(let check, message: _)): "check \(check)"
        case .end(.fault): "fault"
        case .hold: "hold"
        case .leadOn: "lead on"
        case .showPage(let page): "page \(page)"
        }
    }

    @Test(arguments: [
        (request(path: "/favicon.ico"), "404"), (request(path: "/"), "404"), (request(path: "/callback/"), "404"),
        (request(path: "/Callback"), "404"), (request(path: "/callback%2F"), "404"),
        (request(path: "//callback"), "404"),
        (request(path: "/done/page"), "404"), (request(path: "/done/other"), "404"), (request(path: ""), "404"),
        (request(method: .post), "405"), (request(method: .head), "405"), (request(method: .options), "405"),
        (request(method: nil), "405"),
        (request(headers: [:]), "421"), (request(headers: ["Host": "evil.example"]), "421"),
        (request(headers: ["Host": "evil.example:4711"]), "421"), (request(headers: ["Host": "127.0.0.1"]), "421"),
        (request(headers: ["Host": "127.0.0.1:4712"]), "421"), (request(headers: ["Host": "localhost:4711"]), "421"),
        (request(headers: ["Host": "[::1]:4711"]), "421"), (request(headers: ["Host": "127.0.0.1:4711."]), "421"),
        (request(headers: ["Host": "127.1:4711"]), "421"), (request(headers: ["Host": "127.0.0.1:4711, x"]), "421"),
        (request(headers: ["Host": host, "Sec-Purpose": "prefetch"]), "403"),
        (request(headers: ["Host": host, "Sec-Purpose": "Prefetch;prerender"]), "403"),
        (request(headers: ["Host": host, "Purpose": "prefetch"]), "403"),
        (request(headers: ["Host": host, "X-Purpose": "preview"]), "403"),
        (request(headers: ["Host": host, "X-Moz": "prefetch"]), "403"),
        (request(nil), "400"), (request(""), "400"), (request("%zz"), "400"), (request("code=c"), "400"),
        (request("code=c&state="), "400"), (request("code=c&state=s1"), "400"), (request("code=c&state=s+1"), "400"),
        (request("code=c&state=S%2B1"), "400"), (request("code=c&state=s%2B1&state=s%2B1"), "400"),
        (request("code=c&state=s%2B1&state=other"), "400"), (request("code=c&code=d&state=s%2B1"), "400"),
        (request("code=c&iss=a&iss=b&state=s%2B1"), "400"), (request("error=a&error=b&state=s%2B1"), "400"),
        (request("state=s%2B1"), "400"), (request("code=&state=s%2B1"), "400"), (request("error=&state=s%2B1"), "400"),
        (request("access_token=a&state=s%2B1"), "400"), (request("error=access_denied"), "400"),
        (request("error=access_denied&state=wrong"), "400"), (request("code=c&iss=https://evil&state=x"), "400"),
    ])
    func `what is no answer of this login is refused, and the login goes on (8252-10, 8252-13, D1, D4)`(
        request: RedirectRequest,
        answer: String
    ) throws {
        var machine = try Self.machine()
        #expect(Self.word(machine.received(request)) == answer)
        #expect(Self.word(machine.received(Self.request())) == "exchange c")
    }

    @Test func `two Host fields are one too many (8252-10)`() throws {
        var machine = try Self.machine()
        var headers: HTTPHeaders = ["Host": Self.host]
        headers.append("Host", "evil.example")
        #expect(Self.word(machine.received(Self.request(headers: headers))) == "421")
    }

    @Test(arguments: [
        ("code=c&state=s%2B1", "exchange c"), ("state=s%2b1&code=c", "exchange c"),
        ("code=c&state=s%2B1&session_state=x&scope=a+b&scope=c", "exchange c"),
        ("code=a%2Fb%20c%2B&state=s%2B1", "exchange a/b c+"),
        ("code=c&state=s%2B1&iss=https%3A%2F%2Fidp.example", "exchange c"),
        ("error=access_denied&state=s%2B1", "refused access_denied"),
        ("error=login_required&error_description=%3Cb%3E&state=s%2B1", "refused login_required"),
        ("error=access_denied&code=c&state=s%2B1", "refused access_denied"),
        ("code=c&state=s%2B1&iss=https%3A%2F%2Fevil.example", "check iss"),
        ("code=c&state=s%2B1&iss=https%3A%2F%2Fidp.example%2F", "check iss"), ("code=c&state=s%2B1&iss=", "check iss"),
        ("error=access_denied&state=s%2B1&iss=https%3A%2F%2Fevil.example", "check iss"),
    ])
    func `an answer with this login's state decides (9207-1, 9207-3, 6749-9, 6749-10, D5)`(
        query: String,
        action: String
    ) throws {
        var machine = try Self.machine()
        #expect(Self.word(machine.received(Self.request(query))) == action)
    }

    @Test func `a provider that promises iss must send it (9207-2)`() throws {
        var machine = try Self.machine(requiresIssuer: true)
        #expect(Self.word(machine.received(Self.request())) == "check iss")
        machine = try Self.machine(requiresIssuer: true)
        let query = "code=c&state=s%2B1&iss=https://idp.example"
        #expect(Self.word(machine.received(Self.request(query))) == "exchange c")
    }

    @Test func `an account without an issuer does not look at iss`() throws {
        var machine = try Self.machine(issuer: nil)
        #expect(Self.word(machine.received(Self.request("code=c&state=s%2B1&iss=https://a"))) == "exchange c")
    }

    @Test(arguments: ["LOCALHOST:80", "localhost", "Localhost"])
    func `the name of the host may be in any case, and port 80 may be left out`(host: String) throws {
        var machine = LoginStateMachine(
            path: "",
            hosts: LoginStateMachine.hosts(of: .localhost, port: 80),
            pageName: "page",
            startName: "start",
            expected: .init(state: "s", issuer: nil, requiresIssuer: false)
        )
        let request = RedirectRequest(method: .get, path: "/", query: "code=c&state=s", headers: ["Host": host])
        #expect(Self.word(machine.received(request)) == "exchange c")
    }

    @Test func `a code is used once: a second load waits for the end, and a replay sees the last page (F)`() throws {
        var machine = try Self.machine()
        #expect(Self.word(machine.received(Self.request())) == "exchange c")
        #expect(Self.word(machine.received(Self.request())) == "hold")
        #expect(Self.word(machine.received(Self.request("code=other&state=s%2B1"))) == "hold")
        #expect(Self.word(machine.received(Self.request("error=access_denied&state=s%2B1"))) == "hold")
        #expect(Self.word(machine.received(Self.request("code=c&state=wrong"))) == "400")
        #expect(Self.word(machine.received(Self.request(nil, path: "/done/page"))) == "404")
        let page = RedirectAnswer.signedIn(account: "work", identity: nil, provider: "idp.example")
        machine.ended(page: page)
        #expect(Self.word(machine.received(Self.request())) == "\(RedirectAnswer.seeOther(path: "/done/page"))")
        #expect(Self.word(machine.received(Self.request("code=c&state=wrong"))) == "400")
        #expect(Self.word(machine.received(Self.request(nil, path: "/done/page"))) == "page \(page)")
        #expect(Self.word(machine.received(Self.request(nil, path: "/done/page", method: .post))) == "405")
        let foreign = Self.request(nil, path: "/done/page", headers: ["Host": "evil.example:4711"])
        #expect(Self.word(machine.received(foreign)) == "421")
    }

    @Test func `the short start page leads on as long as the login waits, and ends nothing`() throws {
        var machine = try Self.machine()
        let start = Self.request(nil, path: "/s/start")
        #expect(machine.startPath == "/s/start")
        for _ in 0..<3 { #expect(Self.word(machine.received(start)) == "lead on") }
        let refused: [(RedirectRequest, String)] = [
            (Self.request(nil, path: "/s/other"), "404"), (Self.request(nil, path: "/s/"), "404"),
            (Self.request(nil, path: "/s/start", method: .post), "405"),
            (Self.request(nil, path: "/s/start", method: .head), "405"),
            (Self.request(nil, path: "/s/start", headers: ["Host": "evil.example:4711"]), "421"),
            (Self.request(nil, path: "/s/start", headers: ["Host": Self.host, "Sec-Purpose": "prefetch"]), "403"),
        ]
        for (request, status) in refused { #expect(Self.word(machine.received(request)) == status) }
        #expect(Self.word(machine.received(Self.request())) == "exchange c")
        let end = "\(RedirectAnswer.seeOther(path: "/done/page"))"
        #expect(Self.word(machine.received(start)) == end)
        machine.ended(page: .denied(account: "work", provider: "idp.example"))
        #expect(Self.word(machine.received(start)) == end)
    }

    @Test func `what comes back besides the code is kept, but for what is named like a secret (6749-9)`()
        throws
    {
        var machine = try Self.machine()
        let query =
            "code=c&state=s%2B1&realmId=42&realmId=43&iss=https%3A%2F%2Fidp.example&access_token=a&client_secret=b"
            + "&location=e%0Au%E2%80%AE&=x&" + String(repeating: "n", count: 65) + "=1&long="
            + String(repeating: "v", count: 2049)
        #expect(Self.word(machine.received(Self.request(query))) == "exchange c")
        #expect(machine.metadata?.members == ["realmId": "42", "location": "e u"])
    }

    @Test func `metadata is bounded: what is too much is left out, and does not fail a login`() throws {
        var machine = try Self.machine()
        let more = (0..<40).map { "&k\($0)=v" }.joined()
        #expect(Self.word(machine.received(Self.request("code=c&state=s%2B1" + more))) == "exchange c")
        #expect(machine.metadata?.members.count == LoginMetadata.memberLimit)
        var other = try Self.machine()
        let large = (0..<6).map { "&k\($0)=" + String(repeating: "v", count: 2000) }.joined()
        _ = other.received(Self.request("code=c&state=s%2B1" + large))
        #expect(other.metadata?.members.names == ["k0", "k1", "k2", "k3"])
    }
}
