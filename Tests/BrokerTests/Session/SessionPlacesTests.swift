// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TestSupport
import Testing

@testable import Broker

/// Who gets the last places where clients have taken the others.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct SessionPlacesTests {
    @Test @LoopActor func `a process that forgets its connections leaves the last places to others`() async throws {
        let stand = try SessionStand { $0.clients = 32 }
        defer { stand.end() }
        #expect(stand.server.limits.reserved == 4)
        let peers = try (0..<28).map { _ in try stand.peer() }
        for peer in peers {
            peer.send("{\"method\":\"echo\"}\n")
            #expect(await peer.line() != nil)
        }
        for _ in 0..<8 { #expect(await (try stand.peer()).end().isEmpty) }
        #expect(stand.server.clientCount == 28)
        let other = try await ChildProcess.run(
            "/usr/bin/socat",
            ["-t5", "-", "UNIX-CONNECT:" + stand.path],
            environment: [:],
            input: .text("{\"method\":\"echo\"}\n")
        )
        #expect(other.output == "{\"result\":{}}\n", "\(other)")
        // A place that it gives back is its own again.
        peers[0].close()
        var line: String?
        while line == nil {
            try Task.checkCancellation()
            let again = try stand.peer()
            again.send("{\"method\":\"echo\"}\n")
            line = await again.line()
        }
    }
}
