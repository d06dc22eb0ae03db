// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTP
import HTTPTypes
import Systemd
import TestSupport
import Testing

/// A name server that never answers, which takes glibc's resolver 10 s and more to believe.
@Suite(.timeLimit(.minutes(1)), .enabled("needs a resolv.conf of its own") { Namespace.isPermitted })
struct NameServerTests {
    @Test func `a name server that hangs holds neither its own request nor the loop`() async {
        await #expect(processExitsWith: .success) {
            LoopThread.start
            let server = try await Self.useSilentNameServer()
            let start = ContinuousClock.now
            let late = await exchange(try .refresh("https://slow.example.com/", timeout: .milliseconds(200)))
            #expect(late.failure?.code == .timeout)
            #expect(late.failure?.mayHaveBeenSent == false)
            let given = Task { await exchange(try .refresh("https://slower.example.com/")) }
            given.cancel()
            #expect(try await given.value.failure?.code == .cancelled)
            #expect(start.duration(to: .now) < .seconds(4))
            close(server)
        }
    }

    /// Gives the loop's thread, and so its resolvers, a `resolv.conf` that names a socket nobody reads from.
    @LoopActor private static func useSilentNameServer() throws -> Int32 {
        try Namespace.network.enter()
        try Namespace.mounts.enter()
        let prepared = system(
            """
            mount --make-rprivate / && ip link set lo up && file=$(mktemp) &&
            echo nameserver 127.0.0.1 > $file && mount --bind $file /etc/resolv.conf && rm $file
            """
        )
        try #require(prepared == 0)
        let server = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(bound == 0)
        return server
    }
}
