// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Planned stops and crashes with clients that do not wait for them.
    @Suite struct BusyRestarts {
        @Test(arguments: [SIGTERM, SIGKILL]) func `64 busy clients see nothing that a reconnect does not heal`(
            signal: Int32
        ) async throws {
            try await Stand.with { stand in
                try await stand.signInQuietly()
                let held = try #require(try await stand.token()["access_token"]?.string)
                let before = stand.provider.events.count
                let clients = (0..<64).map { _ in BusyClient(path: stand.world.socketPath, account: "work") }
                let tasks = clients.map { client in Task { try await client.run() } }
                for client in clients { try await client.awaitServed(3) }
                stand.daemon.process.signal(signal)
                _ = try await stand.daemon.process.exit()
                try await stand.restart { next in
                    let served = clients.map(\.served)
                    for (client, count) in zip(clients, served) { try await client.awaitServed(count + 3) }
                    for client in clients { client.stop() }
                    for task in tasks { try await task.value }
                    #expect(Set(clients.flatMap(\.tokens)) == [held])
                    #expect(clients.allSatisfy { $0.faults.isEmpty }, "\(Set(clients.flatMap(\.faults)))")
                    #expect(next.provider.events.count == before)
                }
            }
        }

        @Test func `a fresh token asked for in a planned stop costs no second request after it`() async throws {
            try await Stand.with { stand in
                try await stand.signInQuietly()
                let gate = Gate()
                stand.provider.script(.token, .commitAndHang(until: gate))
                stand.client.ask("token.get", ["account": "work", "fresh": true])
                try await stand.provider.next(.token, .arrived)
                stand.daemon.process.signal(SIGTERM)
                try await stand.daemon.notifications.next("STOPPING=1")
                gate.open()
                _ = try await stand.daemon.process.exit()
                try await stand.restart { next in
                    let token = try await next.token()
                    #expect(next.provider.accepts(accessToken: try #require(token["access_token"]?.string)))
                    #expect(next.sentTokens.count == 1)
                }
            }
        }
    }
}
