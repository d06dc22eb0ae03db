// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTP
import HTTPTypes
import TestSupport
import Testing

/// Real handshakes with certificates made for the test.
@Suite(.timeLimit(.minutes(2))) struct TransportTLSTests {
    private let authority: TestAuthority

    init() async throws {
        authority = try await TestAuthority()
    }

    @Test(arguments: ["localhost", "127.0.0.1"], ["-tls1_2", "-tls1_3"])
    func `a certificate of a trusted authority is accepted`(host: String, version: String) async throws {
        let server = try await authority.serve(.good, version)
        let response = try await exchange(.get("https://\(host):\(server.port)/"), authority.trusting()).get()
        #expect(response.status == 200)
    }

    @Test func `an authority that is not known is named`() async throws {
        let server = try await authority.serve(.good)
        let failure = try #require(await exchange(.refresh("https://localhost:\(server.port)/token?c=secret")).failure)
        #expect(failure.code == .tls)
        #expect(!failure.mayHaveBeenSent)
        #expect(
            failure.message == """
                the certificate of localhost:\(server.port) (CN=localhost, issued by CN=Inspection \
                Authority,O=Somebody's Firewall) is not accepted: unable to get local issuer certificate; where a proxy \
                inspects TLS, or the provider uses its own certificate authority, install that authority's \
                certificate in the system or name it in ca_file
                """
        )
    }

    @Test func `a certificate that has expired is said to have`() async throws {
        let server = try await authority.serve(.expired)
        let failure = try #require(
            await exchange(.refresh("https://localhost:\(server.port)/"), authority.trusting()).failure
        )
        #expect(failure.code == .tls)
        #expect(!failure.mayHaveBeenSent)
        #expect(failure.message.contains("CN=localhost"))
        #expect(failure.message.hasSuffix("is not accepted: certificate has expired"))
    }

    @Test func `a certificate for another name is refused and both names are said`() async throws {
        let server = try await authority.serve(.wrongName)
        let failure = try #require(
            await exchange(.refresh("https://localhost:\(server.port)/"), authority.trusting()).failure
        )
        #expect(failure.code == .tls)
        #expect(!failure.mayHaveBeenSent)
        #expect(
            failure.message == """
                the certificate of localhost:\(server.port) is for another name (CN=other.example, issued by \
                CN=Inspection Authority,O=Somebody's Firewall)
                """
        )
    }

    @Test func `a self-signed certificate is refused`() async throws {
        let server = try await authority.serve(.selfSigned)
        let failure = try #require(
            await exchange(.refresh("https://localhost:\(server.port)/"), authority.trusting()).failure
        )
        #expect(failure.code == .tls)
        #expect(!failure.mayHaveBeenSent)
        #expect(failure.message.contains("self-signed certificate"))
    }

    @Test(arguments: ["-tls1 -cipher DEFAULT@SECLEVEL=0", "-tls1_1 -cipher DEFAULT@SECLEVEL=0"])
    func `a server without TLS 1.2 is refused`(options: String) async throws {
        let server = try await authority.serve(.good, options)
        let failure = try #require(
            await exchange(.refresh("https://localhost:\(server.port)/"), authority.trusting()).failure
        )
        #expect(failure.code == .tls)
        #expect(!failure.mayHaveBeenSent)
        #expect(failure.message.hasPrefix("no secure connection to localhost:\(server.port): "))
        #expect(failure.message.contains("protocol version") || failure.message.contains("unsupported protocol"))
    }

    @Test func `a server that speaks no TLS is refused`() async throws {
        let server = try await plainGreeting()
        let failure = try #require(await exchange(.refresh("https://localhost:\(server.port)/")).failure)
        #expect(failure.code == .tls)
        #expect(!failure.mayHaveBeenSent)
    }

    /// A server that greets in plain text as soon as somebody connects, as mail servers do.
    private func plainGreeting() async throws -> TLSServer {
        let script = """
            import socket, sys
            s = socket.create_server(("127.0.0.1", 0))
            print("ACCEPT", s.getsockname()[1], flush=True)
            while True:
                c, _ = s.accept()
                c.sendall(b"220 mail.example ESMTP\\r\\n")
                c.recv(4096)
                c.close()
            """
        let child = try ChildProcess("python3", ["-c", script], environment: ["PATH": "/usr/bin:/bin"])
        let line = try await child.line()
        guard let port = line.split(separator: " ").last.flatMap({ UInt16($0) }) else { throw TimedOut("a port") }
        return TLSServer(child: child, port: port)
    }
}
