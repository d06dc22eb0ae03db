// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// More accounts and logins than any user has.
    @Suite struct LoadAccounts {
        @Test func `logins that are begun and left leave nothing behind`() async throws {
            let accounts = (0..<LoadSize.of(1_000, orInCI: 100)).map { "left-\($0)" }
            var moments = SeededMoments(seed: LoadSize.seed)
            try await Stand.with(
                prepare: { world, provider in
                    for name in accounts + ["work"] { try world.writeAccount(name, issuer: provider.issuer) }
                },
                { stand in
                    try await stand.signIn()
                    // What is read once, and kept.
                    let first = try await stand.startLogin(accounts[0])
                    _ = try await stand.client.result("login.cancel", ["login_id": .string(first.id)])
                    let before = try ProcessUse(stand.daemon.process)
                    var left: [String] = []
                    for name in accounts {
                        let client = try stand.daemon.connect()
                        let login = try await client.result("login.start", ["account": .string(name)])
                        client.hangUp()
                        if let id = login["login_id"]?.string { left.append(id) }
                    }
                    let use = try ProcessUse(stand.daemon.process)
                    #expect(left.count == accounts.count)
                    // A login listens at two addresses at most.
                    #expect(use.descriptors <= before.descriptors + 4 * accounts.count)
                    #expect(use.memory - before.memory < 16 * 1024 + 160 * accounts.count)
                    #expect(try await stand.answerTimes().allSatisfy { $0 < LoadSize.patience })
                    left.shuffle(using: &moments)
                    for id in left { _ = try await stand.client.result("login.cancel", ["login_id": .string(id)]) }
                    let after = try await stand.awaitUse(like: before)
                    LoadSize.tell("\(accounts.count) logins begun and left: \(before) → \(use) → \(after)")
                    _ = try await stand.token(["fresh": true])
                }
            )
        }

        @Test func `thousands of accounts are read, told, read again and asked for`() async throws {
            let count = LoadSize.of(5_000, orInCI: 500)
            try await Stand.with(
                keyring: .none,
                arguments: ["--store", "memory"],
                prepare: { world, provider in
                    for number in 0..<count { try world.writeAccount("a\(number)", issuer: provider.issuer) }
                },
                { stand in
                    let clock = ContinuousClock()
                    var accounts: [JSONValue] = []
                    let told = try await clock.measure {
                        accounts = try await stand.client.result("status")["accounts"]?.array ?? []
                    }
                    #expect(accounts.count == count)
                    let reload = try await clock.measure { _ = try await stand.client.result("config.reload") }
                    let refusal = try await stand.refusal("token.get", ["account": .string("a\(count - 1)")])
                    #expect(refusal.kind == "login_required")
                    let use = try ProcessUse(stand.daemon.process)
                    LoadSize.tell(
                        "\(count) accounts: \(use); status in \(told.milliseconds), a reload in \(reload.milliseconds)"
                    )
                    #expect(use.memory < 96 * 1024 + count * 24)
                    #expect(told < .seconds(5))
                    #expect(reload < .seconds(10))
                    #expect(stand.provider.events.isEmpty)
                }
            )
        }

        @Test func `hundreds of grants in the keyring are there after a restart, and each is served`() async throws {
            let count = LoadSize.of(200, orInCI: 30)
            let names = (0..<count).map { "a\($0)" }
            try await Stand.with(
                prepare: { world, provider in
                    for name in names { try world.writeAccount(name, issuer: provider.issuer) }
                },
                { stand in
                    for name in names { try await stand.signIn(name) }
                    let signedIn = try ProcessUse(stand.daemon.process)
                    try await stand.daemon.stop()
                    let start = ContinuousClock.now
                    try await stand.restart { next in
                        for name in names {
                            let token = try await next.client.result("token.get", ["account": .string(name)])
                            #expect(token["refreshed"]?.bool == false)
                        }
                        let served = start.duration(to: .now)
                        let use = try ProcessUse(next.daemon.process)
                        LoadSize.tell(
                            "\(count) grants in the keyring: \(signedIn) when signed in; all served "
                                + "\(served.milliseconds) after the next start: \(use)"
                        )
                        #expect(use.memory < 96 * 1024 + count * 64)
                        #expect(use.descriptors < 64)
                    }
                    #expect(stand.provider.count(grantType: "refresh_token") == 0)
                }
            )
        }
    }
}
