// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Further sockets of the built daemon.
    @Suite struct NarrowSockets {
        private static func build(_ more: String = "") -> String {
            "{ sockets: { build: { path: \"%t/tokend/build.sock\", accounts: [\"work\"], \(more) } } }"
        }

        private static func path(_ stand: Stand) -> String {
            stand.world.socketPath.replacing("tokend.sock", with: "build.sock")
        }

        @Test func `sockets come and go with the settings, and take their clients along`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let path = Self.path(stand)
                #expect(access(path, F_OK) != 0)
                try stand.world.writeConfiguration(Self.build("mode: \"0660\""))
                _ = try await stand.client.result("config.reload")
                var status = stat()
                #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o660)
                let client = try SocketClient(path: path)
                let token = try await client.result("token.get")
                let own = try await stand.token()["access_token"]
                #expect(token["account"] == "work" && token["access_token"] == own)
                let daemon = try await stand.client.result("status")["daemon"]?.object
                #expect(daemon?["sockets"] == [["name": "build", "path": .string(path)]])
                try stand.world.writeConfiguration("{}")
                _ = try await stand.client.result("config.reload")
                try await client.awaitEnd()
                #expect(access(path, F_OK) != 0)
                #expect(try await stand.token()["access_token"] == own)
            }
        }

        @Test func `a socket ends at its time, and a stop leaves none behind`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                var now = timespec()
                clock_gettime(CLOCK_REALTIME, &now)
                try stand.world.writeConfiguration(Self.build("until: \(now.tv_sec + 2)"))
                _ = try await stand.client.result("config.reload")
                let client = try SocketClient(path: Self.path(stand))
                _ = try await client.result("token.get")
                try await client.awaitEnd()
                #expect(access(Self.path(stand), F_OK) != 0)
                try stand.world.writeConfiguration(Self.build())
                _ = try await stand.client.result("config.reload")
                #expect(access(Self.path(stand), F_OK) == 0)
                try await stand.daemon.stop()
                #expect(access(Self.path(stand), F_OK) != 0)
            }
        }
    }
}
