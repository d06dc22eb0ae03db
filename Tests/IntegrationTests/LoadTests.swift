// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

/// How much load there is: `scripts/load` asks for all of it.
enum LoadSize {
    /// Whether this is the long run.
    static let isFull = ProcessInfo.processInfo.environment["TOKEND_LOAD"] == "full"
    /// What is left to chance comes from it.
    static let seed =
        ProcessInfo.processInfo.environment["TOKEND_LOAD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
    /// The longest that another client may wait: a bound that holds on a busy machine with few cores, and that no queue
    /// behind thousands would meet.
    static let patience = Duration.seconds(isFull ? 2 : 5)

    static func of(_ full: Int, orInCI few: Int) -> Int { isFull ? full : few }

    /// A line of figures.
    static func tell(_ what: String) { print("load: \(what)") }
}

extension Programs {
    /// More clients, and worse ones, than any user's programs are: what the daemon uses stays bounded, everybody else is
    /// served meanwhile, and afterwards it is as it was.
    @Suite struct Load {
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

        /// As many descriptors as this process may have.
        private static let ownLimit: Void = {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }()

        private func clients(_ count: Int, of stand: Stand) throws -> [BareClient] {
            Self.ownLimit
            return try (0..<count).map { _ in try BareClient(path: stand.world.socketPath) }
        }

        /// Lets the crowd go, and tells what it cost.
        private func end(
            _ crowd: [BareClient],
            _ what: String,
            of stand: Stand,
            from before: ProcessUse,
            within memory: Int
        ) async throws {
            let times = try await stand.answerTimes()
            let use = try ProcessUse(stand.daemon.process)
            for client in crowd { client.hangUp() }
            let after = try await stand.awaitUse(like: before)
            let (middle, worst) = (times[times.count / 2].milliseconds, (times.last ?? .zero).milliseconds)
            LoadSize.tell("\(what): \(before) → \(use) → \(after); another client waited \(middle), \(worst) at worst")
            #expect(times.allSatisfy { $0 < LoadSize.patience })
            #expect(use.descriptors <= before.descriptors + crowd.count)
            #expect(use.memory - before.memory < memory)
        }

        @Test func `thousands of clients are connected, and each is served`() async throws {
            try await with { stand, before in
                let crowd = try clients(LoadSize.of(10_000, orInCI: 2_000), of: stand)
                for client in crowd { client.send(Self.ask) }
                for client in crowd { #expect(client.lines(1) == 1) }
                try await end(crowd, "\(crowd.count) clients", of: stand, from: before, within: crowd.count * 8)
            }
        }

        @Test func `64 clients that pipeline do not keep another one waiting`() async throws {
            try await with { stand, before in
                let crowd = try clients(64, of: stand)
                let batch = Array(repeatElement(Self.ask, count: 64).joined())
                let seconds = LoadSize.of(180, orInCI: 2)
                let end = ContinuousClock.now.advanced(by: .seconds(seconds))
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
                var times: [Duration] = []
                while ContinuousClock.now < end { times += try await stand.answerTimes(5) }
                var served: [Int] = []
                for task in tasks { served.append(try await task.value) }
                times.sort()
                let (middle, worst) = (times[times.count / 2], times.last ?? .zero)
                LoadSize.tell(
                    "64 clients pipelined for \(seconds) s: \(served.reduce(0, +)) answers, "
                        + "the fewest \(served.min() ?? 0), the most \(served.max() ?? 0); "
                        + "another client waited \(middle.milliseconds), \(worst.milliseconds) at worst"
                )
                #expect(worst < LoadSize.patience)
                #expect(served.allSatisfy { $0 > 0 && $0.isMultiple(of: 64) })
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                try await self.end(crowd, "after that", of: stand, from: before, within: 64 * 1024)
            }
        }

        @Test func `clients that never read are not read from, and cost what they may`() async throws {
            try await with { stand, before in
                let crowd = try clients(64, of: stand)
                let batch = Array(repeatElement(Self.ask, count: 512).joined())
                for _ in 0..<32 { for client in crowd { client.send(batch, waiting: false) } }
                // A mebibyte of replies each, and a line.
                try await end(crowd, "64 slow readers", of: stand, from: before, within: 64 * 1536)
            }
        }

        @Test func `half lines of all clients together have a bound`() async throws {
            try await with { stand, before in
                let crowd = try clients(LoadSize.of(1_000, orInCI: 320), of: stand)
                let half = [UInt8](repeating: UInt8(ascii: " "), count: 255 * 1024)
                for client in crowd { client.send(half) }
                // 64 MiB of them, and what an array that grows has besides.
                try await end(crowd, "\(crowd.count) half lines", of: stand, from: before, within: 160 * 1024)
            }
        }
    }
}
