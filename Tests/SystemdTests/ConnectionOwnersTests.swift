// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Systemd

/// Whose the other end of a connection over a loopback address is.
@Suite(.timeLimit(.minutes(1))) struct ConnectionOwnersTests {
    /// Where the connection comes to, and where the other end says that it goes.
    private static let ways: [Way] = [
        Way(here: "127.0.0.1", there: "127.0.0.1"), Way(here: "::1", there: "::1"),
        Way(here: "127.0.0.1", there: "::ffff:127.0.0.1"),
    ]

    struct Way: Sendable {
        let here: String
        let there: String
    }

    @Test(arguments: ConnectionOwners.Source.allCases, ways)
    func `a program of one's own is known by its user until it closes`(
        _ source: ConnectionOwners.Source,
        _ way: Way
    ) throws {
        let listener = try LoopbackTCP(listeningAt: way.here)
        let client = try LoopbackTCP(connectedTo: way.there, port: listener.port)
        let accepted = try listener.accept()
        let owners = ConnectionOwners(try #require(SocketName(ofSocket: listener.descriptor)), source)
        #expect(owners.uid(at: accepted.peer) == geteuid())
        client.close()
        #expect(owners.uid(at: accepted.peer) == nil)
    }

    @Test(
        .enabled(if: geteuid() == 0, "becoming another user takes root"),
        arguments: ConnectionOwners.Source.allCases,
        ways
    )
    func `a program of another user is known by that user`(
        _ source: ConnectionOwners.Source,
        _ way: Way
    ) async throws {
        let listener = try LoopbackTCP(listeningAt: way.here)
        let script = """
            import socket, sys
            s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
            s.recv(1)
            """
        let user = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        let words = user + ["python3", "-c", script, way.there, "\(listener.port)"]
        let program = try ChildProcess("setpriv", words, environment: ["PATH": "/usr/bin:/bin"])
        let accepted = try await program.whileRunning { try await blocking { try listener.accept() } }
        let owners = ConnectionOwners(try #require(SocketName(ofSocket: listener.descriptor)), source)
        #expect(owners.uid(at: accepted.peer) == 65534)
    }

    @Test(arguments: ConnectionOwners.Source.allCases)
    func `a name that nobody has is nobody's, also where a socket listens there`(
        _ source: ConnectionOwners.Source
    ) throws {
        let listener = try LoopbackTCP(listeningAt: "127.0.0.1")
        let other = try LoopbackTCP(listeningAt: "127.0.0.1")
        let owners = ConnectionOwners(try #require(SocketName(ofSocket: listener.descriptor)), source)
        #expect(owners.uid(at: try #require(SocketName(ofSocket: other.descriptor))) == nil)
        #expect(owners.uid(at: SocketName(address: [127, 0, 0, 1], port: 1)) == nil)
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func `this kernel is asked for one socket`(_ address: String) throws {
        let listener = try LoopbackTCP(listeningAt: address)
        #expect(try #require(ConnectionOwners(listener: listener.descriptor)).source == .diagnosis)
    }

    @Test func `a line of the kernel's table is read`() throws {
        let line =
            "   1: 0100007F:1F90 0200007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0 20 4 30 10 -1"
        let record = try #require(SocketTable.record(of: line[...]))
        #expect(record.local == SocketName(address: [127, 0, 0, 1], port: 8080) && !record.isListening)
        #expect(record.remote == SocketName(address: [127, 0, 0, 2], port: 49153))
        #expect(record.uid == 1000 && record.inode == 4242)
        let mapped = line.replacing("0100007F:1F90", with: "0000000000000000FFFF00000100007F:1F90")
        #expect(SocketTable.record(of: mapped[...])?.local == record.local)
        #expect(SocketTable.record(of: "  sl  local_address rem_address   st tx_queue") == nil)
    }
}

/// A TCP socket on a loopback address; closed with its last reference.
private final class LoopbackTCP: Sendable {
    let descriptor: Int32
    private let isOpen = Mutex(true)

    var port: UInt16 { SocketName(ofSocket: descriptor)?.port ?? 0 }

    init(listeningAt address: String) throws {
        descriptor = try Self.make(address)
        let bound = try Self.with(address, port: 0) { bind(descriptor, $0, $1) }
        guard bound == 0, listen(descriptor, 8) == 0 else { throw SystemdError(code: errno, operation: "listen") }
    }

    init(connectedTo address: String, port: UInt16) throws {
        descriptor = try Self.make(address)
        let connected = try Self.with(address, port: port) { connect(descriptor, $0, $1) }
        guard connected == 0 else { throw SystemdError(code: errno, operation: "connect") }
    }

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close() }

    func close() {
        let mustClose = isOpen.withLock { exchange(&$0, with: false) }
        if mustClose { Glibc.close(descriptor) }
    }

    /// The next connection, and the name of its other end.
    func accept() throws -> (connection: LoopbackTCP, peer: SocketName) {
        var name = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let accepted = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.accept(descriptor, $0, &size) }
        }
        guard accepted >= 0, let peer = withUnsafeBytes(of: name, { SocketName($0) }) else {
            throw SystemdError(code: errno, operation: "accept")
        }
        return (LoopbackTCP(accepted), peer)
    }

    private static func make(_ address: String) throws -> Int32 {
        let family = address.contains(":") ? AF_INET6 : AF_INET
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        return try SystemdError.checkErrno(SocketDescriptor.open(family: family, type: type), "make a socket")
    }

    private static func with(
        _ address: String,
        port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        guard address.contains(":") else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else {
                throw SystemdError(code: EINVAL, operation: "")
            }
            return call(name, body)
        }
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        guard inet_pton(AF_INET6, address, &name.sin6_addr) == 1 else {
            throw SystemdError(code: EINVAL, operation: "")
        }
        return call(name, body)
    }

    private static func call<Name>(_ name: Name, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Name>.size)) }
        }
    }
}
