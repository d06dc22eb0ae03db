// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTP
import HTTPTypes
import TestSupport
import Testing

/// Proxies: which one is asked, for what, and what is said when it does not help.
@Suite(.timeLimit(.minutes(1))) struct TransportProxyTests {
    private static func settings(_ proxy: String) throws -> TransportSettings {
        let address: TransportSettings.Proxy = try #require(TransportSettings.Proxy(proxy))
        return TransportSettings(proxy: address)
    }

    @Test func `a proxy carries a request without seeing into it`() async throws {
        let authority = try await TestAuthority()
        let target = try await authority.serve(.wrongName)
        let requests = EventLog<WireRequest>()
        let proxy = try ByteServer { request, connection in
            requests.append(request)
            connection.tunnel(to: target.port)
            return false
        }
        defer { proxy.stop() }
        var settings = try authority.trusting()
        settings.proxy = try Self.settings("http://ada:pa55@127.0.0.1:\(proxy.port)").proxy
        var request = try HTTPRequest.get("https://other.example/hidden?code=secret")
        request.headers["Authorization"] = "Bearer at-very-secret"
        #expect(try await exchange(request, settings).get().status == 200)
        let seen = try await requests.next("a request") { _ in true }
        #expect(seen.method == "CONNECT")
        #expect(seen.target == "other.example:443")
        #expect(seen.header("Authorization") == nil)
        #expect(seen.header("Proxy-Authorization") == "Basic YWRhOnBhNTU=")
    }

    @Test(arguments: [403, 407, 502])
    func `a proxy that refuses has certainly sent nothing on`(status: Int) async throws {
        let proxy = try ByteServer.answering("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
        defer { proxy.stop() }
        let settings = try Self.settings("http://ada:pa55@127.0.0.1:\(proxy.port)")
        let failure = try #require(await exchange(.refresh("https://login.example.com/"), settings).failure)
        #expect(failure.code == .proxy)
        #expect(!failure.mayHaveBeenSent)
        #expect(failure.message == "the proxy refused a connection to login.example.com (HTTP status \(status))")
    }

    @Test(arguments: ["http", "socks5h"])
    func `a proxy that is away is named, without its password`(scheme: String) async throws {
        let port = try DeafPort()
        let settings = try Self.settings("\(scheme)://ada:pa55@127.0.0.1:\(port.port)")
        let failure = try #require(await exchange(.refresh("https://login.example.com/"), settings).failure)
        #expect(failure.code == .proxy)
        #expect(!failure.mayHaveBeenSent)
        #expect(failure.message.contains("proxy 127.0.0.1"))
        #expect(failure.message.contains("login.example.com"))
        #expect(!failure.message.contains("pa55"))
    }

    @Test func `a proxy without an address is a proxy's failure`() async throws {
        let settings = try Self.settings("http://proxy.invalid:3128")
        let failure = try #require(await exchange(.refresh("https://login.example.com/"), settings).failure)
        #expect(failure.code == .proxy)
        #expect(!failure.mayHaveBeenSent)
        #expect(failure.message.contains("proxy.invalid"))
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `loopback is never asked for through a proxy (G4)`(host: String) async throws {
        let port = try DeafPort()
        let server = try ByteServer.answering("HTTP/1.1 200 OK\r\n\r\n")
        defer { server.stop() }
        let settings = try Self.settings("http://127.0.0.1:\(port.port)")
        #expect(try await exchange(.get("http://\(host):\(server.port)/"), settings).get().status == 200)
    }

    @Test func `without a setting the environment's proxy is used, by curl's rules (G4)`() async {
        // In a process of its own, whose environment nobody else reads meanwhile.
        await #expect(processExitsWith: .success) {
            let proxy = try ByteServer.answering("HTTP/1.1 418 Teapot\r\nContent-Length: 0\r\n\r\n")
            setenv("https_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            setenv("NO_PROXY", ".invalid", 1)
            let through = try #require(await exchange(.get("https://login.example.com/")).failure)
            #expect(through.message.contains("HTTP status 418"))
            let around = try #require(await exchange(.get("https://login.invalid/")).failure)
            #expect(around.code == .resolve)
            let local = try await exchange(.get("https://127.0.0.1:\(DeafPort().port)/"))
            #expect(local.failure?.code == .connect)
        }
    }
}
