// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTP
import HTTPTypes
import TestSupport
import Testing

/// What a handler can ask a request.
@Suite(.timeLimit(.minutes(1))) struct ListenerRequestTests {
    /// Has a request come in over the wire, as there is no other way to make one.
    private func request(_ target: String, headers: String) async throws -> ListenerRequest {
        let fixture = try await ListenerFixture.start()
        _ = try await fixture.send("GET \(target) HTTP/1.1\r\n\(headers)\r\n")
        return try await fixture.requests.next("a request") { _ in true }
    }

    @Test(arguments: [
        ("Host: 127.0.0.1:8080\r\n", true),
        ("Host: 127.0.0.1\r\n", false),
        ("Host: 127.0.0.1:8081\r\n", false),
        ("Host: localhost:8080\r\n", false),
        ("Host: evil.example:8080\r\n", false),
        ("Host: 127.0.0.1:8080.evil.example\r\n", false),
        ("Host: 127.0.0.1:8080\r\nHost: evil.example\r\n", false),
    ])
    func `only the exact host and port is ours`(headers: String, isOurs: Bool) async throws {
        let redirect = try WebURL("http://127.0.0.1:8080/cb")
        #expect(try await request("/cb?code=1", headers: headers).matches(redirect) == isOurs)
    }

    @Test func `a name is compared in any case, and the scheme's own port is left out`() async throws {
        let named = try await request("/", headers: "Host: LocalHost:8080\r\n")
        #expect(named.isAddressed(to: try WebURL("http://localhost:8080")))
        let plain = try await request("/", headers: "Host: [::1]\r\n")
        #expect(plain.isAddressed(to: try WebURL("http://[::1]:80/")))
        #expect(plain.isAddressed(to: try WebURL("http://[::1]/")))
    }

    @Test(arguments: ["/", "/cb/", "/CB", "/cb/../cb", "/%63b", "//cb"])
    func `only the exact path is ours`(path: String) async throws {
        let redirect = try WebURL("http://127.0.0.1:8080/cb")
        #expect(try await !request(path, headers: "Host: 127.0.0.1:8080\r\n").matches(redirect))
    }

    @Test(arguments: [
        ("Sec-Purpose: prefetch", true), ("Sec-Purpose: prefetch;prerender", true), ("sec-purpose: Prefetch", true),
        ("Purpose: prefetch", true), ("Sec-Fetch-Dest: document", false),
    ])
    func `a look ahead is told from a visit`(header: String, isPrefetch: Bool) async throws {
        #expect(try await request("/cb", headers: "Host: a\r\n\(header)\r\n").isPrefetch == isPrefetch)
    }
}
