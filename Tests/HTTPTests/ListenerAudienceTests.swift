// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TestSupport
import Testing

@testable import HTTP

/// Whom a listener serves.
@Suite(.timeLimit(.minutes(1))) struct ListenerAudienceTests {
    /// `curl` as another user, whose name and groups are of no use either.
    private func curl(asUser uid: UInt32? = nil, _ url: String) async throws -> ChildProcess.Finished {
        let user = uid.map { ["setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] } ?? []
        let words = user + ["curl", "--silent", "--include", "--max-time", "20", url]
        return try await ChildProcess.run(
            words[0],
            Array(words.dropFirst()),
            environment: ["PATH": "/usr/bin:/bin"]
        )
    }

    @Test(arguments: LoopbackAddress.allCases)
    func `one's own programs are served`(_ family: LoopbackAddress) async throws {
        let fixture = try await ListenerFixture.start([family])
        let answer = try await curl("http://\(family.literal):\(fixture.port)/cb")
        #expect(answer.status == .code(0) && answer.output.hasPrefix("HTTP/1.1 200 "))
        #expect(fixture.requests.all.count == 1 && fixture.strangers.all.isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0, "becoming another user takes root"), arguments: LoopbackAddress.allCases)
    func `another user's programs get no byte, and one's own still do`(_ family: LoopbackAddress) async throws {
        let fixture = try await ListenerFixture.start([.v4, .v6])
        for _ in 0..<3 {
            let answer = try await curl(asUser: 65534, "http://\(family.literal):\(fixture.port)/cb?code=1")
            // Nothing came (52), or the end came before the request was sent (56).
            #expect(answer.status == .code(52) || answer.status == .code(56), "\(answer)")
            #expect(answer.output.isEmpty)
        }
        #expect(fixture.requests.all.isEmpty)
        #expect(fixture.strangers.all == [65534])
        #expect(try await fixture.get("/cb", "", family).status == 200)
    }

    @Test func `root is served, as nothing is kept from it, and nobody else`() {
        #expect(ListenerAudience.includes(1000, own: 1000) && ListenerAudience.includes(0, own: 1000))
        #expect(!ListenerAudience.includes(65534, own: 1000) && !ListenerAudience.includes(1001, own: 1000))
        #expect(!ListenerAudience.includes(1000, own: 0))
    }
}
