// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import TokenClient
import TokendProtocol

@Suite struct TokenClientTests {
    private func code(_ body: () throws(TokenClientError) -> Void) -> TokenClientError.Code? {
        do throws(TokenClientError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `nothing is sent where another user listens than the one that is expected`() throws {
        let daemon = try StandInDaemon { _ in .result([:]) }
        defer { daemon.stop() }
        let own = geteuid()
        #expect(try TokenClient(socketPath: daemon.path, listener: own).call(.hello) == [:])
        let other = try TokenClient(socketPath: daemon.path, listener: own + 1)
        #expect(code { () throws(TokenClientError) in _ = try other.call(.hello) } == .untrustedPeer)
        #expect(daemon.methods == ["hello"])
    }

    @Test func `the environment names another listener for the socket that it names, and for no other`() throws {
        func listener(_ environment: [String: String]) throws(TokenClientError) -> UInt32 {
            try TokenClient(environment: environment).listener
        }
        #expect(try listener(["TOKEND_SOCKET": "/s", "TOKEND_SOCKET_UID": "1000"]) == 1000)
        #expect(try listener(["TOKEND_SOCKET": "/s", "TOKEND_SOCKET_UID": ""]) == geteuid())
        #expect(try listener(["XDG_RUNTIME_DIR": "/r", "TOKEND_SOCKET_UID": "1000"]) == geteuid())
        for odd in ["alice", "-1", "1000 ", "4294967295", "4294967296"] {
            let environment = ["TOKEND_SOCKET": "/s", "TOKEND_SOCKET_UID": odd]
            #expect(code { () throws(TokenClientError) in _ = try listener(environment) } == .daemonAbsent)
        }
    }

    @Test func `a reply in pieces is one reply`() throws {
        let daemon = try StandInDaemon { _ in
            .pieces(["{\"jsonrpc\":\"2.0\",\"i", "d\":1,\"result\":{\"acc", "ounts\":[]}}", "\r\n"])
        }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        #expect(try client.call(.accountList) == ["accounts": []])
    }

    @Test func `replies out of order find their requests`() throws {
        let first = Flag()
        let daemon = try StandInDaemon { _ in
            first.raise()
                ? .silence
                : .pieces(["{\"id\":2,\"result\":{\"n\":2}}\n{\"id\":1,\"result\":{\"n\":1}}\n"])
        }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        let soon = Deadline(in: .seconds(10))
        let one = try client.send(.hello, [:], deadline: soon)
        let two = try client.send(.hello, [:], deadline: soon)
        for (pending, number) in [(one, 1), (two, 2)] as [(TokenClient.PendingReply, Int64)] {
            guard case .reply(let result) = try client.wait(for: pending, until: soon) else {
                Issue.record("no reply")
                return
            }
            #expect(result["n"] == .integer(number))
        }
    }

    @Test func `a daemon that was restarted is found again`() throws {
        let hasHungUp = Flag()
        let daemon = try StandInDaemon { _ in hasHungUp.raise() ? .hangUp : .result(["version": "2"]) }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        #expect(try client.call(.hello) == ["version": "2"])
        #expect(daemon.methods == ["hello", "hello"])
    }

    @Test func `a daemon that always goes away is an error, not a loop`() throws {
        let daemon = try StandInDaemon { _ in .hangUp }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        #expect(code { () throws(TokenClientError) in _ = try client.call(.hello) } == .connectionLost)
        #expect(daemon.methods.count == 2)
    }

    @Test func `an idle connection that was closed costs nothing`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "account.remove" ? .result(["revoked": true]) : .hangUp
        }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        _ = code { () throws(TokenClientError) in _ = try client.call(.hello) }
        #expect(try client.call(.accountRemove) == ["revoked": true])
    }

    @Test func `a deadline is kept`() throws {
        let daemon = try StandInDaemon { _ in .silence }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        #expect(
            code { () throws(TokenClientError) in _ = try client.call(.hello, timeout: .milliseconds(20)) } == .timeout
        )
    }

    @Test func `who does not speak the protocol is told apart from a daemon that is away`() throws {
        let daemon = try StandInDaemon { _ in .pieces(["HTTP/1.1 400 Bad Request\r\n\r\n"]) }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        #expect(code { () throws(TokenClientError) in _ = try client.call(.hello) } == .protocolViolation)
        let nobody = try TokenClient(socketPath: "/nonexistent/sock")
        #expect(code { () throws(TokenClientError) in _ = try nobody.call(.hello) } == .daemonAbsent)
        let long = try TokenClient(socketPath: "/" + String(repeating: "x", count: 200))
        #expect(code { () throws(TokenClientError) in _ = try long.call(.hello) } == .daemonAbsent)
    }

    @Test func `a kind of the future decodes to itself`() throws {
        let daemon = try StandInDaemon { _ in .error("quantum_flux", code: -31000) }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        #expect(
            code { () throws(TokenClientError) in _ = try client.call(.hello) }
                == TokenClientError.Code(rawValue: "quantum_flux")
        )
    }

    @Test func `events that come between are kept for who asks`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "events.subscribe"
                ? .subscription([["type": "store_locked", "at": 1], ["type": "store_unlocked", "at": 2]])
                : .result([:])
        }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        _ = try client.call(.eventsSubscribe)
        _ = try client.call(.hello)
        let soon = Deadline(in: .seconds(10))
        #expect(try client.nextEvent(until: soon)?.type == .storeLocked)
        #expect(try client.nextEvent(until: soon)?.type == .storeUnlocked)
        #expect(try client.nextEvent(until: Deadline(in: .milliseconds(10))) == nil)
    }

    @Test func `a token is fetched by a typed call, and shows itself to nobody`() throws {
        let daemon = try StandInDaemon { _ in
            .result([
                "account": "work", "issuer": "https://i.example", "access_token": "to.ken", "token_type": "Bearer",
                "scope": "a b", "expires_at": 5, "renewable": true, "refreshed": false, "novel": 1,
            ])
        }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        let token = try client.accessToken(account: "work")
        #expect(token.text == "to.ken")
        #expect(token.expiresAt == 5)
        #expect(
            !"\(token)\(String(reflecting: token))\(String(describing: Mirror(reflecting: token)))".contains("to.ken")
        )
        var options = TokenClient.TokenOptions()
        options.rejected = token
        _ = try client.accessToken(account: "work", options: options)
        #expect(daemon.requests.map { $0.params["rejected"] } == [nil, "to.ken"])
    }

    @Test func `a token of another purpose is asked for by its options`() throws {
        let daemon = try StandInDaemon { _ in
            .result([
                "account": "work", "issuer": "https://i.example", "access_token": "to.ken", "token_type": "Bearer",
                "scope": "a", "renewable": true, "refreshed": true,
            ])
        }
        defer { daemon.stop() }
        var options = TokenClient.TokenOptions()
        options.scope = "a"
        options.isNarrow = true
        options.resources = ["https://a.example", "urn:b"]
        options.audience = "api"
        _ = try TokenClient(socketPath: daemon.path).accessToken(account: "work", options: options)
        let params = daemon.requests.first?.params
        #expect(params?["scope"] == "a" && params?["narrow"] == true && params?["audience"] == "api")
        #expect(params?["resource"] == ["https://a.example", "urn:b"])
    }

    @Test func `a login is started, waited for and ended by typed calls`() throws {
        let daemon = try StandInDaemon { request in
            switch request.method {
            case "login.start": .result(StandInDaemon.started)
            case "login.wait": .result(["account": "work", "scope": "openid", "renewable": true])
            default: .result(["revoked": true])
            }
        }
        defer { daemon.stop() }
        let client = try TokenClient(socketPath: daemon.path)
        let login = try client.startLogin(account: "work")
        #expect(login.authorizationURL == "https://login.example.com/authorize?state=s")
        #expect(try client.wait(for: login).isRenewable)
        try client.cancel(login)
        try client.logOut(account: "work", revokes: false)
        #expect(daemon.requests.last?.params == ["account": "work", "revoke": false])
    }
}
