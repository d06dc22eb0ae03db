// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTP
import HTTPTypes
import Secrets
import Systemd
import TestSupport
import Testing

/// Servers that are away, hang, break off or send what they should not.
@Suite(.timeLimit(.minutes(1))) struct TransportFailureTests {
    @Test func `a refused connection has certainly sent nothing`() async throws {
        let port = try DeafPort()
        let failure = try #require(
            await exchange(.refresh("http://127.0.0.1:\(port.port)/token?code=secret")).failure
        )
        #expect(failure.code == .connect)
        #expect(!failure.mayHaveBeenSent)
        #expect(failure.message == "cannot connect to 127.0.0.1:\(port.port): Connection refused")
    }

    @Test func `a name without an address has certainly sent nothing`() async throws {
        let failure = try #require(await exchange(.refresh("https://nowhere.invalid/token?code=secret")).failure)
        #expect(failure.code == .resolve)
        #expect(!failure.mayHaveBeenSent)
        #expect(failure.message.contains("nowhere.invalid"))
        #expect(!failure.message.contains("secret"))
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf",
    ])
    func `an answer that breaks off is an interruption after sending`(answer: String) async throws {
        let server = try ByteServer.answering(answer)
        defer { server.stop() }
        let failure = try #require(await exchange(.refresh(server.url())).failure)
        #expect(failure.code == .interrupted)
        #expect(failure.mayHaveBeenSent)
        #expect(failure.message.contains("127.0.0.1:\(server.port)"))
        #expect(!failure.message.contains("rt-very-secret"))
    }

    @Test func `a reset is an interruption after sending`() async throws {
        let server = try ByteServer { _, connection in
            connection.resetOnClose()
            return false
        }
        defer { server.stop() }
        let failure = try #require(await exchange(.refresh(server.url())).failure)
        #expect(failure.code == .interrupted)
        #expect(failure.mayHaveBeenSent)
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n\r\n", "<html>hello</html>\r\n", "HTTP/1.1 abc\r\n\r\n"])
    func `what is not HTTP is said to be none`(answer: String) async throws {
        let server = try ByteServer.answering(answer)
        defer { server.stop() }
        let failure = try #require(await exchange(.refresh(server.url())).failure)
        #expect(failure.code == .protocolViolation)
        #expect(failure.mayHaveBeenSent)
    }

    @Test(arguments: [true, false])
    func `a server that hangs is given up in time`(isRefresh: Bool) async throws {
        let ends = EventLog<Gate.Outcome>()
        let gate = Gate()
        let server = try ByteServer { _, connection in
            ends.append(gate.wait(connection: connection.descriptor))
            return false
        }
        defer { server.stop() }
        let time = Duration.seconds(2)
        let request: HTTPRequest =
            isRefresh ? try .refresh(server.url(), timeout: time) : try .get(server.url(), timeout: time)
        let failure = try #require(await exchange(request).failure)
        #expect(failure.code == .timeout)
        #expect(failure.mayHaveBeenSent)
        #expect(try await ends.next("the end of the connection") { _ in true } == .connectionEnded)
    }

    @Test func `a server that dribbles is given up in time`() async throws {
        let gate = Gate()
        let server = try ByteServer { _, connection in
            connection.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            while connection.send([0x61]) {
                guard gate.wait(connection: connection.descriptor, seconds: 0) == .timedOut else { break }
            }
            return false
        }
        defer { server.stop() }
        // It ends by the time or by the size, whichever comes first; that it ends is the point.
        let failure = try #require(await exchange(.get(server.url(), timeout: .milliseconds(300))).failure)
        #expect([.timeout, .tooLarge].contains(failure.code))
    }

    @Test func `a handshake that hangs has certainly sent nothing`() async throws {
        let silent = try SilentPort()
        let failure = try #require(
            await exchange(
                .refresh("https://127.0.0.1:\(silent.port)/"),
                TransportSettings(timeout: .milliseconds(200))
            )
            .failure
        )
        #expect(failure.code == .timeout)
        #expect(!failure.mayHaveBeenSent)
        let early = TransportSettings(connectTimeout: .milliseconds(200))
        let other = try #require(await exchange(.refresh("https://127.0.0.1:\(silent.port)/"), early).failure)
        #expect(other.code == .timeout)
        #expect(!other.mayHaveBeenSent)
    }
}

/// How much is read, and giving up.
@Suite(.timeLimit(.minutes(1))) struct TransportLimitTests {
    @Test func `a body of 1 MiB is read, and one byte more is not`() async throws {
        let server = try ByteServer { request, connection in
            let extra = request.path == "/more" ? 1 : 0
            let head = request.query == "known" ? "Content-Length: \((1 << 20) + extra)\r\n" : ""
            connection.send(Array("HTTP/1.1 200 OK\r\n\(head)\r\n".utf8))
            connection.send([UInt8](repeating: 0x61, count: (1 << 20) + extra))
            return false
        }
        defer { server.stop() }
        #expect(try await exchange(.get(server.url("/"))).get().body.count == 1 << 20)
        for query in ["", "?known"] {
            let failure = try #require(await exchange(.get(server.url("/more" + query))).failure)
            #expect(failure.code == .tooLarge)
            #expect(failure.mayHaveBeenSent)
        }
    }

    @Test func `a compressed answer is read, and one that unfolds without end is not`() async throws {
        let small = try await Self.gzip("head -c 100000 /dev/zero")
        let bomb = try await Self.gzip("head -c 100000000 /dev/zero")
        let server = try ByteServer { request, connection in
            let body = request.path == "/bomb" ? bomb : small
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
            connection.send(Array(head.utf8) + body)
            return false
        }
        defer { server.stop() }
        #expect(bomb.count < 1 << 20)
        #expect(try await exchange(.get(server.url())).get().body == [UInt8](repeating: 0, count: 100_000))
        #expect(await exchange(try .get(server.url("/bomb"))).failure?.code == .tooLarge)
    }

    @Test(arguments: [("x-pack", "anything"), ("gzip", "no gzip at all")])
    func `a compression that cannot be read is said in words (A8)`(encoding: String, body: String) async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let server = try ByteServer.answering(answer + body)
        defer { server.stop() }
        let failure = try #require(await exchange(.refresh(server.url())).failure)
        #expect(failure.code == .encoding && failure.mayHaveBeenSent)
        #expect(
            failure.message.contains("127.0.0.1:\(server.port) sent an answer whose compression (Content-Encoding)")
        )
    }

    /// How many fields of which size.
    @Test(arguments: [(1, 80_000), (1, 200_000), (20_000, 1)])
    func `headers without end are not read`(count: Int, size: Int) async throws {
        let headers = String(repeating: "X: \(String(repeating: "a", count: size))\r\n", count: count)
        let server = try ByteServer.answering("HTTP/1.1 200 OK\r\n\(headers)\r\n")
        defer { server.stop() }
        #expect(await exchange(try .get(server.url())).failure?.code == .tooLarge)
    }

    @Test func `interim answers without end are not read`() async throws {
        let server = try ByteServer { _, connection in
            while connection.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) {}
            return false
        }
        defer { server.stop() }
        #expect(await exchange(try .get(server.url())).failure?.code == .tooLarge)
    }

    @Test func `a cancelled task gets its error at once, and the connection ends`() async throws {
        let arrivals = EventLog<WireRequest>()
        let ends = EventLog<Gate.Outcome>()
        let gate = Gate()
        let server = try ByteServer { request, connection in
            arrivals.append(request)
            ends.append(gate.wait(connection: connection.descriptor))
            return false
        }
        defer { server.stop() }
        let request = try HTTPRequest.refresh(server.url())
        let task = Task { await exchange(request) }
        _ = try await arrivals.next("the request") { _ in true }
        task.cancel()
        let failure = try #require(await task.value.failure)
        #expect(failure.code == .cancelled)
        #expect(failure.mayHaveBeenSent)
        #expect(try await ends.next("the end of the connection") { _ in true } == .connectionEnded)
    }

    @Test func `a task that was cancelled before sends nothing`() async throws {
        let request = try HTTPRequest.refresh("http://127.0.0.1:1/")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await exchange(request)
        }
        let failure = try #require(await task.value.failure)
        #expect(failure.code == .cancelled)
        #expect(!failure.mayHaveBeenSent)
    }

    private static func gzip(_ command: String) async throws -> [UInt8] {
        let script = "\(command) | gzip -9 | od -An -v -tx1"
        let finished = try await ChildProcess.run("/bin/sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin"])
        return finished.output.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
    }
}
