// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Networks that come back, and portals that let somebody through at last.
    @Suite(.enabled(if: geteuid() == 0, "making networks takes root")) struct NetworkReturn {
        /// What a portal says to every request.
        private static let pages: [(account: String, answer: WireResponse)] = [
            ("redirect", .redirect(to: "http://portal.example/", status: 302)),
            ("page", .html("<html><title>Welcome to the hotel</title></html>")),
            ("object", .json(["status": "login required", "url": "http://portal.example/"])),
            ("error", .json(["error": "not_signed_in"], status: 511)),
        ]

        @Test func `a portal's pages are no answers, whatever they look like, and nothing of them is kept (A8, B5)`()
            async throws
        {
            try await NetworkStand.with(Self.pages.map(\.account)) { network in
                let stand = network.stand
                for (account, answer) in Self.pages {
                    let portal = try await network.portal(answer, trusted: true)
                    _ = try await network.expectPassingFailure(account)
                    #expect(portal.provider.count(.token) == 1)
                    let refusal = try await stand.refusal("login.start", ["account": "other"])
                    #expect(["provider_unreachable", "provider_error"].contains(refusal.kind), "\(refusal)")
                    try await network.leave(portal)
                }
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                try await network.signIn("other")
                for (account, _) in Self.pages { try await network.expectRecovery(account) }
                #expect(stand.provider.count(grantType: "refresh_token") == Self.pages.count)
            }
        }

        @Test(.enabled(if: LoadSize.isFull, "it waits for a quarter of a minute: scripts/load"))
        func `a portal's certificate is told, and once a network comes without it, the daemon tries at once`()
            async throws
        {
            // A token of one second is due at once.
            try await NetworkStand.with(lifetime: 1) { network in
                let stand = network.stand
                let portal = try await network.portal(.html("<html>Welcome</html>"), trusted: false)
                let before = try await network.cable.attempts()
                // Three times.
                let limit = ContinuousClock.now.advanced(by: .seconds(20))
                var fault: JSONObject = [:]
                while try await network.cable.attempts() - before < 3, ContinuousClock.now < limit {
                    _ = try? await stand.token()
                    fault = try await stand.status()["fault"]?.object ?? [:]
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(fault["message"]?.string?.contains("certificate") == true, "\(fault)")
                #expect(try await stand.status()["state"] == "retrying")
                #expect(portal.provider.events.isEmpty, "nothing was sent")
                let sent = stand.provider.count(grantType: "refresh_token")
                try await network.leave(portal)
                try await network.cable.unplug()
                try await network.cable.plugIn()
                while stand.provider.count(grantType: "refresh_token") == sent {
                    try await stand.provider.next(.token, .arrived, within: .seconds(20))
                }
                try await stand.awaitState("ready")
            }
        }

        @Test(.enabled(if: LoadSize.isFull, "it waits for half a minute: scripts/load"))
        func `when the network is back, the daemon tries at once, unasked (engine rule 19)`() async throws {
            try await NetworkStand.with(lifetime: 4) { network in
                let stand = network.stand
                try await network.cable.unplug()
                // Until its back-off is longer than the test.
                var retryAt: Int64 = 0
                let limit = ContinuousClock.now.advanced(by: .seconds(90))
                while retryAt < Int64(Date().timeIntervalSince1970) + 25, ContinuousClock.now < limit {
                    _ = try? await stand.token(["min_valid": 0])
                    retryAt = try await stand.status()["fault"]?.object?["retry_at"]?.int64 ?? 0
                    try await Task.sleep(for: .milliseconds(200))
                }
                let status = try await stand.status()
                #expect(status["state"] == "retrying", "\(status)")
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                try await network.cable.plugIn()
                try await stand.provider.next(.token, .arrived, within: .seconds(20))
                try await stand.awaitState("ready")
                #expect(try await stand.token()["refreshed"] == false)
            }
        }

        @Test func `a kept connection that died with the network before is not used in the next one`() async throws {
            try await NetworkStand.with { network in
                let stand = network.stand
                _ = try await stand.client.result("doctor", ["account": "work"])
                let ports = try await network.cable.home.run("ss -Htn state established").split(separator: "\n")
                    .filter { $0.contains(":443") }
                    .compactMap { $0.split(separator: " ").dropFirst(2).first?.split(separator: ":").last }
                try #require(!ports.isEmpty, "a connection is kept")
                // Neither side hears of it.
                try await network.cable.obstruct(ports.map { "tcp sport \($0) drop" })
                try await network.cable.home.run("ip address add 10.77.0.9/24 dev cable")
                try await stand.daemon.hasLogged("a network has come")
                let start = ContinuousClock.now
                _ = try await stand.client.result("doctor", ["account": "work"])
                #expect(start.duration(to: .now) < .seconds(NetworkStand.timeout))
            }
        }
    }
}
