// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Networks as they are: the provider is on another machine, and the way to it fails in every way that is common.
    /// Each time the held token is served, the grant stays, a few requests are made, and all is well afterwards.
    @Suite(.enabled(if: geteuid() == 0, "making networks takes root")) struct Network {
        /// The long run has them all.
        private static let ways = [
            ("resets", ["tcp dport 443 reject with tcp reset"], "refused"), ("swallows", ["drop"], "came about within"),
        ].prefix(LoadSize.of(2, orInCI: 1))

        @Test(arguments: ways)
        func `a way that loses packets or resets costs a few tries, and no login (B5, B10)`(
            way: String,
            rules: [String],
            sentence: String
        ) async throws {
            try await NetworkStand.with { network in
                let before = try await network.cable.attempts()
                try await network.cable.obstruct(rules)
                let message = try await network.expectPassingFailure()
                #expect(message.contains(sentence), "\(message)")
                // Twenty clients are one attempt; the kernel repeats what nobody answers.
                #expect(try await network.cable.attempts() - before <= 4)
                #expect(network.stand.provider.count(grantType: "refresh_token") == 0)
                try await network.cable.obstruct([])
                try await network.expectRecovery()
                #expect(network.stand.provider.count(grantType: "refresh_token") == 1)
            }
        }

        @Test(.enabled(if: LoadSize.isFull, "it waits for ten seconds: scripts/load"))
        func `names that nobody tells hold up nobody else, and the next server is asked`() async throws {
            let servers = [NetworkCable.deadAddress, NetworkCable.providerAddress]
            try await NetworkStand.with(nameServers: servers) { network in
                let stand = network.stand
                try await network.cable.obstruct(["udp dport 53 drop"])
                // With names that are looked up anew.
                _ = try await stand.client.result("config.reload")
                let asked = stand.client.ask("token.get", ["account": "work", "fresh": true])
                #expect(try await stand.answerTimes().allSatisfy { $0 < .seconds(1) })
                let refusal = DaemonRefusal(try await stand.client.reply(to: asked))
                #expect(refusal.kind == "provider_unreachable")
                #expect(refusal.message.contains(TestAuthority.host), "\(refusal)")
                #expect(try await stand.status()["state"] == "retrying")
                try await network.cable.obstruct([])
                try await network.expectRecovery()
            }
        }

        @Test func `a name with several addresses is reached at the one that answers`() async throws {
            try await NetworkStand.with { network in
                network.names.answer([NetworkCable.deadAddress, NetworkCable.providerAddress])
                // With names that are looked up anew.
                _ = try await network.stand.client.result("config.reload")
                let before = try await network.cable.attempts()
                #expect(try await network.stand.token(["fresh": true])["refreshed"] == true)
                #expect(try await network.cable.attempts() - before >= 2, "the dead address was tried first")
                #expect(network.stand.provider.count(grantType: "refresh_token") == 1)
            }
        }

        @Test func `a peer that is gone without a word costs one repetition, and no login`() async throws {
            try await NetworkStand.with { network in
                let stand = network.stand
                let gate = Gate()
                defer { gate.open() }
                try await stand.provider.next(.token, .arrived)
                stand.provider.script(.token, .commitAndHang(until: gate))
                let held = try await stand.token()["access_token"]
                let asked = stand.client.ask("token.get", ["account": "work", "fresh": true])
                try await stand.provider.next(.token, .arrived)
                // The token is spent, the answer is on its way, and from here on neither side hears of the other.
                try await network.cable.obstruct(["tcp dport 443 drop"], outgoing: ["tcp sport 443 drop"])
                let before = try await network.cable.attempts()
                #expect(try await stand.status()["state"] == "refreshing")
                let refusal = DaemonRefusal(try await stand.client.reply(to: asked))
                #expect(refusal.kind == "provider_unreachable", "\(refusal)")
                #expect(try await stand.status()["state"] == "retrying")
                #expect(try await stand.token()["access_token"] == held)
                #expect(try await network.cable.attempts() - before <= 8)
                try await network.cable.obstruct([])
                try await network.expectRecovery()
                // With the same token, within the provider's grace.
                #expect(Set(stand.sentTokens.prefix(2)).count == 1)
            }
        }
    }
}
