// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTP
import HTTPTypes
import Systemd
import TestSupport
import Testing

/// Requests that no browser sends; each must leave the listener serving.
@Suite(.timeLimit(.minutes(1))) struct ListenerHostileTests {
    private func stillServes(_ fixture: ListenerFixture) async throws -> Bool {
        try await fixture.get("/still").status == 200
    }

    @Test(arguments: [
        "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
    func `garbage is harmless`(text: String) async throws {
        let fixture = try await ListenerFixture.start()
        try await fixture.throwAway(Array(text.utf8))
        #expect(try await stillServes(fixture))
    }

    @Test func `a target with bytes that no URL has is no request`() async throws {
        let fixture = try await ListenerFixture.start()
        try await fixture.throwAway(Array("GET /\u{301}\u{316} HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(try await stillServes(fixture))
        #expect(fixture.requests.all.map(\.path) == ["/still"])
    }

    @Test func `a TLS hello is harmless`() async throws {
        let fixture = try await ListenerFixture.start()
        let finished = try await ChildProcess.run(
            "curl",
            ["-sk", "--max-time", "20", "https://127.0.0.1:\(fixture.port)/"],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        #expect(finished.status == .code(35))
        #expect(try await stillServes(fixture))
    }

    @Test(arguments: ["", "GET /cb?code=1 HT", "POST /cb HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf"])
    func `a connection that ends early is harmless, and its request is none`(text: String) async throws {
        let fixture = try await ListenerFixture.start()
        let address = try fixture.address()
        try await blocking {
            let connection = try RawConnection(address)
            try connection.send(text)
            connection.hangUp()
        }
        #expect(try await stillServes(fixture))
        #expect(fixture.requests.all.map(\.path) == ["/still"])
    }

    @Test func `a client that leaves while its answer is awaited is harmless`() async throws {
        let held = EventLog<ListenerReply>()
        let fixture = try await ListenerFixture.start { request, reply in
            if request.path == "/cb" { held.append(reply) } else { reply.respond(.signedIn(account: "work")) }
        }
        let address = try fixture.address()
        let connection = try await blocking { try RawConnection(address) }
        try connection.send("GET /cb HTTP/1.1\r\nHost: a\r\n\r\n")
        let reply = try await held.next("a held request") { _ in true }
        connection.hangUp()
        await reply.respond(.signedIn(account: "work"))
        #expect(try await stillServes(fixture))
    }

    @Test(arguments: [31_000, 64_000, 200_000])
    func `the cookies of everything on this machine are no hindrance`(size: Int) async throws {
        let fixture = try await ListenerFixture.start()
        let one = String(repeating: "c", count: 4000)
        let cookies = (0..<size / 4000).map { "k\($0)=\(one)" }.joined(separator: "; ")
        #expect(try await fixture.get("/cb?code=C", "Cookie: \(cookies)\r\n").status == 200)
    }

    @Test func `headers over 256 KiB and bodies over 64 KiB are refused`() async throws {
        let fixture = try await ListenerFixture.start()
        let long = String(repeating: "a", count: 600_000)
        for request in ["GET /\(long) HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nX: \(long)\r\n\r\n"] {
            try? await fixture.throwAway(Array(request.utf8))
        }
        let head = "POST /cb HTTP/1.1\r\nHost: 127.0.0.1:\(fixture.port)\r\n"
        #expect(try await fixture.send(head + "Content-Length: 65537\r\n\r\n").status == 413)
        #expect(try await fixture.send(head + "Content-Length: 99999999999999999999\r\n\r\n").status >= 400)
        let chunk = "8000\r\n" + String(repeating: "a", count: 0x8000) + "\r\n"
        let chunks = head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + chunk + chunk + "0\r\n\r\n"
        try await fixture.throwAway(Array(chunks.utf8))
        #expect(fixture.requests.all.isEmpty)
        #expect(try await stillServes(fixture))
    }

    @Test(arguments: ["http://127.0.0.1/cb", "*", "cb"])
    func `a target that is no path is refused`(target: String) async throws {
        let fixture = try await ListenerFixture.start()
        #expect(try await fixture.get(target).status == 400)
        #expect(fixture.requests.all.isEmpty)
    }

    @Test func `a method that is not known is refused`() async throws {
        let fixture = try await ListenerFixture.start()
        let answer = try await fixture.send("BREW / HTTP/1.1\r\nHost: 127.0.0.1:\(fixture.port)\r\n\r\n")
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "GET")
    }

    @Test(arguments: ["", "GET /cb HTTP/1.1\r\nX: "])
    func `connections that say nothing, or drip, keep nobody out (F)`(beginning: String) async throws {
        let fixture = try await ListenerFixture.start()
        let address = try fixture.address()
        let dripping = try await blocking { try (0..<100).map { _ in try RawConnection(address) } }
        for connection in dripping { try? connection.send(beginning) }
        let start = ContinuousClock.now
        for _ in 0..<3 {
            for connection in dripping { try? connection.send("x") }
            #expect(try await stillServes(fixture))
        }
        // Nobody's time had to end for that.
        #expect(start.duration(to: .now) < .seconds(8))
        for connection in dripping { connection.hangUp() }
    }

    @Test func `a request that is not whole in its time is cut off, and one that is stays (F)`() async throws {
        let held = EventLog<ListenerReply>()
        let fixture = try await ListenerFixture.start(patience: .milliseconds(300)) { request, reply in
            if request.path == "/held" { held.append(reply) } else { reply.respond(.signedIn(account: "work")) }
        }
        let address = try fixture.address()
        let whole = Task { try await fixture.get("/held") }
        let reply = try await held.next("a held request") { _ in true }
        let half = try await blocking { try RawConnection(address) }
        try half.send("GET /cb HTTP/1.1\r\nX: ")
        let start = ContinuousClock.now
        await #expect(throws: (any Error).self) { try await blocking { try half.readAnswer() } }
        // Long before it would be idle for too long.
        #expect(start.duration(to: .now) < .seconds(8))
        await reply.respond(.signedIn(account: "work"))
        #expect(try await whole.value.status == 200)
        #expect(try await stillServes(fixture))
    }

    @Test func `curl gets the page with all its headers`() async throws {
        let fixture = try await ListenerFixture.start()
        let finished = try await ChildProcess.run(
            "curl",
            ["-si", "--max-time", "20", "http://127.0.0.1:\(fixture.port)/done"],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        #expect(finished.status == .code(0))
        let head = finished.output.prefix { $0 != "<" }.lowercased()
        for line in [
            "http/1.1 200 ok", "content-type: text/html; charset=utf-8", "cache-control: no-store",
            "referrer-policy: no-referrer", "x-content-type-options: nosniff", "connection: close",
            "frame-ancestors 'none'",
        ] {
            #expect(head.contains(line))
        }
    }
}
