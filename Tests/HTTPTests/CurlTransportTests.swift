// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTP
import HTTPTypes
import Secrets
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CurlTransportTests {
    @Test func `a request goes out as it was made`() async throws {
        let requests = EventLog<WireRequest>()
        let server = try ByteServer { request, connection in
            requests.append(request)
            connection.send(WireResponse.json(text: "{}").bytes)
            return true
        }
        defer { server.stop() }
        var request = try HTTPRequest.refresh(server.url("/a/../token?x=%2F&y="))
        request.headers["X-Empty"] = ""
        request.headers["Accept"] = "application/json"
        request.headers["Content-Length"] = "1"
        let response = try await exchange(request, TransportSettings(userAgent: "tokend/1")).get()
        #expect(response.status == 200)
        let seen = try await requests.next("a request") { _ in true }
        #expect(seen.method == "POST")
        #expect(seen.target == "/a/../token?x=%2F&y=")
        #expect(String(decoding: seen.body, as: UTF8.self) == "grant_type=refresh_token&refresh_token=rt-very-secret")
        #expect(seen.headers("Content-Type") == ["application/x-www-form-urlencoded"])
        #expect(seen.headers("Content-Length") == ["\(seen.body.count)"])
        #expect(seen.headers("Accept") == ["application/json"])
        #expect(seen.headers("X-Empty") == [""])
        #expect(seen.headers("User-Agent") == ["tokend/1"])
        #expect(seen.headers("Expect").isEmpty)
    }

    @Test(arguments: [HTTPMethod.get, .head, .post, .put, .delete, .options])
    func `every method is sent by its name`(method: HTTPMethod) async throws {
        let requests = EventLog<WireRequest>()
        let server = try ByteServer { request, connection in
            requests.append(request)
            connection.send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
            return true
        }
        defer { server.stop() }
        let response = try await exchange(HTTPRequest(method: method, url: WebURL(server.url()))).get()
        #expect(response.status == 204)
        let seen = try await requests.next("a request") { _ in true }
        #expect(seen.method == method.rawValue)
        #expect(seen.headers("Content-Type").isEmpty)
    }

    @Test func `an answer is read whole, with its headers and its clock`() async throws {
        let server = try ByteServer.answering(
            """
            HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n\
            HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nWWW-Authenticate: DPoP\r\n\
            Date: Tue, 15 Nov 1994 08:12:31 GMT\r\nX-Path: a:b\r\nTransfer-Encoding: chunked\r\n\r\n\
            3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: no\r\n\r\n
            """
        )
        defer { server.stop() }
        let response = try await exchange(.get(server.url())).get()
        #expect(response.status == 401)
        #expect(response.headers.values(of: "www-authenticate") == ["Bearer", "DPoP"])
        #expect(response.headers["X-Path"] == "a:b")
        #expect(response.headers["Link"] == nil)
        #expect(response.headers["X-Trailer"] == nil)
        #expect(response.serverDate == 784_887_151)
        #expect(response.body == Array("abcde".utf8))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is an answer and is not followed`(status: Int) async throws {
        let elsewhere = EventLog<WireRequest>()
        let other = try ByteServer { request, _ in
            elsewhere.append(request)
            return false
        }
        let server = try ByteServer.answering(
            "HTTP/1.1 \(status) Moved\r\nLocation: \(other.url("/steal"))\r\nContent-Length: 0\r\n\r\n"
        )
        defer {
            server.stop()
            other.stop()
        }
        let response = try await exchange(.refresh(server.url())).get()
        #expect(response.status == status)
        #expect(response.headers["Location"] == other.url("/steal"))
        #expect(elsewhere.all.isEmpty)
    }

    @Test(arguments: ["http://login.example.com/token", "com.example.app:/cb"])
    func `nothing is sent in the clear to another machine, nor to another scheme`(url: String) async throws {
        let failure = try #require(await exchange(.refresh(url)).failure)
        #expect(failure.code == .protocolViolation)
        #expect(!failure.mayHaveBeenSent)
        #expect(failure.message.contains("https"))
    }

    @Test func `two requests run side by side`() async throws {
        let gate = Gate()
        let server = try ByteServer { request, connection in
            if request.path == "/slow" { _ = gate.wait() } else { gate.open() }
            connection.send(WireResponse.text(request.path).bytes)
            return true
        }
        defer { server.stop() }
        async let slow = exchange(.get(server.url("/slow")))
        async let fast = exchange(.get(server.url("/fast")))
        #expect(try await fast.get().body == Array("/fast".utf8))
        #expect(try await slow.get().body == Array("/slow".utf8))
    }
}
