// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// More than any person's programs ask for: what the daemon uses stays bounded, everybody else is served meanwhile,
    /// and afterwards it is as it was. `scripts/load` does all of it at full size.
    @Suite struct Load {
        /// Whether this is the long run.
        private static let isFull = ProcessInfo.processInfo.environment["TOKEND_LOAD"] == "full"
        /// A bound that holds on a busy machine with few cores, and that no queue behind thousands would meet.
        private static let patience = Duration.seconds(isFull ? 2 : 5)
        private static let ask = Array(
            #"{"jsonrpc":"2.0","id":1,"method":"token.get","params":{"account":"work"}}"#.utf8 + [UInt8(ascii: "\n")]
        )

        /// Runs `body` with a daemon that is signed in, and what it used when it was.
        private func with(_ body: (Stand, ProcessUse) async throws -> Void) async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                _ = try await stand.token()
                try await body(stand, ProcessUse(stand.daemon.process))
            }
        }

        private func clients(_ count: Int, of stand: Stand) throws -> [BareClient] {
            try (0..<count).map { _ in try BareClient(path: stand.world.socketPath) }
        }

        @Test func `thousands of clients are connected, and each is served`() async throws {
            try await with { stand, before in
                let crowd = try clients(Self.isFull ? 10_000 : 2_000, of: stand)
                for client in crowd { client.send(Self.ask) }
                for client in crowd { #expect(client.lines(1) == 1) }
                let worst = try await stand.worstAnswer()
                #expect(worst < Self.patience)
                let use = try ProcessUse(stand.daemon.process)
                print("load: \(crowd.count) clients: \(before) → \(use), worst answer \(worst)")
                #expect(use.memory - before.memory < crowd.count * 8)
                for client in crowd { client.hangUp() }
                try await stand.awaitUse(like: before, memory: 24 * 1024)
            }
        }

        @Test func `64 clients that pipeline do not keep another one waiting`() async throws {
            try await with { stand, before in
                let crowd = try clients(64, of: stand)
                let batch = Array(repeatElement(Self.ask, count: 64).joined())
                let end = ContinuousClock.now.advanced(by: .seconds(Self.isFull ? 180 : 3))
                let tasks = crowd.map { client in
                    Task {
                        try await blocking {
                            var served = 0
                            while ContinuousClock.now < end {
                                client.send(batch)
                                served += client.lines(64)
                            }
                            return served
                        }
                    }
                }
                var worst = Duration.zero
                while ContinuousClock.now < end { worst = max(worst, try await stand.worstAnswer(of: 5)) }
                var served: [Int] = []
                for task in tasks { served.append(try await task.value) }
                let use = try ProcessUse(stand.daemon.process)
                print("load: 64 pipelining: \(served.reduce(0, +)) answers, \(before) → \(use), worst other \(worst)")
                #expect(worst < Self.patience)
                #expect(served.allSatisfy { $0 > 0 && $0.isMultiple(of: 64) })
                #expect(use.memory - before.memory < 64 * 1024)
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                for client in crowd { client.hangUp() }
                try await stand.awaitUse(like: before, memory: 24 * 1024)
            }
        }

        @Test func `clients that never read are not read from, and cost what they may`() async throws {
            try await with { stand, before in
                let crowd = try clients(64, of: stand)
                let batch = Array(repeatElement(Self.ask, count: 512).joined())
                for _ in 0..<32 { for client in crowd { client.send(batch, waiting: false) } }
                let worst = try await stand.worstAnswer()
                #expect(worst < Self.patience)
                let use = try ProcessUse(stand.daemon.process)
                print("load: 64 slow readers: \(before) → \(use), worst other \(worst)")
                // A mebibyte of replies each, and a line.
                #expect(use.memory - before.memory < 64 * 1536)
                for client in crowd { client.hangUp() }
                try await stand.awaitUse(like: before, memory: 24 * 1024)
            }
        }

        @Test func `half lines of all clients together have a bound`() async throws {
            try await with { stand, before in
                let crowd = try clients(Self.isFull ? 1_000 : 320, of: stand)
                let half = [UInt8](repeating: UInt8(ascii: " "), count: 255 * 1024)
                for client in crowd { client.send(half) }
                let worst = try await stand.worstAnswer()
                #expect(worst < Self.patience)
                let use = try ProcessUse(stand.daemon.process)
                print("load: \(crowd.count) half lines: \(before) → \(use), worst other \(worst)")
                #expect(use.memory - before.memory < 160 * 1024)
                for client in crowd { client.hangUp() }
                try await stand.awaitUse(like: before, memory: 24 * 1024)
            }
        }

        @Test func `logins that are begun and left leave nothing behind`() async throws {
            let accounts = (0..<(Self.isFull ? 50 : 10)).map { "left-\($0)" }
            try await Stand.with(
                prepare: { world, provider in
                    for name in accounts + ["work"] { try world.writeAccount(name, issuer: provider.issuer) }
                },
                { stand in
                    try await stand.signIn()
                    let before = try ProcessUse(stand.daemon.process)
                    for _ in 0..<20 {
                        for name in accounts {
                            let client = try stand.daemon.connect()
                            let login = try await client.result("login.start", ["account": .string(name)])
                            client.hangUp()
                            // Every other one is given up by somebody else.
                            guard let id = login["login_id"], Bool.random() else { continue }
                            _ = try await stand.client.result("login.cancel", ["login_id": id])
                        }
                    }
                    let use = try ProcessUse(stand.daemon.process)
                    print("load: \(20 * accounts.count) logins: \(before) → \(use)")
                    // A login listens at two addresses at most.
                    #expect(use.descriptors <= before.descriptors + 4 * accounts.count + 8)
                    for name in accounts {
                        let status = try await stand.status(name)
                        guard let id = status["login"]?.object?["login_id"] else { continue }
                        _ = try await stand.client.result("login.cancel", ["login_id": id])
                    }
                    try await stand.awaitUse(like: before, memory: 24 * 1024)
                    _ = try await stand.token()
                }
            )
        }

        @Test func `thousands of accounts are read, told and asked for`() async throws {
            let count = Self.isFull ? 5_000 : 500
            let start = ContinuousClock.now
            try await Stand.with(
                keyring: .none,
                arguments: ["--store", "memory"],
                prepare: { world, provider in
                    for number in 0..<count { try world.writeAccount("a\(number)", issuer: provider.issuer) }
                },
                { stand in
                    let ready = start.duration(to: .now)
                    let asked = ContinuousClock.now
                    let accounts = try await stand.client.result("status")["accounts"]?.array
                    let told = asked.duration(to: .now)
                    #expect(accounts?.count == count)
                    let refusal = try await stand.refusal("token.get", ["account": .string("a\(count - 1)")])
                    #expect(refusal.kind == "login_required")
                    let use = try ProcessUse(stand.daemon.process)
                    print("load: \(count) accounts: ready after \(ready), status in \(told), \(use)")
                    #expect(use.memory < 96 * 1024 + count * 24)
                    #expect(told < .seconds(5))
                    #expect(stand.provider.events.isEmpty)
                }
            )
        }

        /// With the store in memory: the library of the keyring ends a process that has no descriptor for it, which is why
        /// clients never get the last ones.
        @Test func `out of descriptors a call is refused, nothing spins, and life goes on`() async throws {
            try await Stand.with(keyring: .none, arguments: ["--store", "memory"]) { stand in
                try await stand.signIn()
                // The three that every process has, and none beside those that are open.
                try await limit(3, of: stand)
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.kind == "provider_unreachable" || refusal.kind == "internal_error", "\(refusal)")
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                // Whoever connects now waits; the daemon must not spin meanwhile.
                let waiting = try BareClient(path: stand.world.socketPath)
                waiting.send(Self.ask)
                let time = try ProcessUse(stand.daemon.process).time
                for _ in 0..<10 {
                    _ = try await stand.token()
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(try ProcessUse(stand.daemon.process).time - time < 50)
                try await limit(4096, of: stand)
                #expect(waiting.lines(1) == 1)
                try await awaitRefresh(stand)
            }
        }

        private func awaitRefresh(_ stand: Stand) async throws {
            let limit = ContinuousClock.now.advanced(by: .seconds(20))
            while true {
                let reply = try await stand.client.call("token.get", ["account": "work", "fresh": true])
                if reply["result"]?.object?["refreshed"]?.bool == true { return }
                guard ContinuousClock.now < limit else { throw TimedOut("a refresh: \(reply)") }
                try await Task.sleep(for: .milliseconds(500))
            }
        }

        private func limit(_ descriptors: Int, of stand: Stand) async throws {
            let finished = try await ChildProcess.run(
                "prlimit",
                ["--pid", "\(stand.daemon.process.processID)", "--nofile=\(descriptors):"],
                environment: ["PATH": "/usr/bin:/bin"],
                within: .seconds(10)
            )
            try #require(finished.status == .code(0), "\(finished)")
        }
    }
}
