// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// A run: so many days of a world that one seed has made.
package struct Run: Sendable {
    /// What came of it.
    package struct Result: Sendable {
        /// The broken rule's sentence, and what broke it; nil where all held.
        package var breach: (rule: String, details: String)?
        /// Equal for runs in which the same happened at the same times.
        package var digest: UInt64
        /// The events as lines, where they were wanted.
        package var trace: [String]
        /// How often each kind of event was met.
        package var kinds: [String: Int]
        package var days: Int
        /// The numbers of what its plan had happen.
        var planned: [Int]
    }

    package var seed: UInt64
    package var days: Int
    /// Numbers of happenings that do not happen.
    var leftOut: Set<Int> = []

    package init(seed: UInt64, days: Int) {
        self.seed = seed
        self.days = days
    }

    /// Lets it happen, on the thread of the loop.
    @LoopActor package func result(keepsTrace: Bool = false) -> Result {
        let world = World(seed: seed, keepsTrace: keepsTrace)
        let plan = Plan(world: world, seed: seed, leftOut: leftOut)
        let start = world.agenda.now
        world.start()
        world.lookWhetherWell()
        var day = -1
        // The first day is for signing in.
        while day < days, world.rules.breach == nil {
            if day >= 0 { plan.begin(day: day) } else { plan.beginFirstDay() }
            day += 1
            let end = start + .day * Span(day + 1)
            while world.rules.breach == nil, world.step(until: end) {}
        }
        defer { world.end() }
        return Result(
            breach: world.rules.breach.map { ($0.rule, $0.details) },
            digest: world.trace.digest,
            trace: world.trace.lines,
            kinds: world.trace.kinds,
            days: max(day, 0),
            planned: plan.planned
        )
    }
}

extension Run {
    /// A run that breaks the same rule with as little happening as can be found.
    ///
    /// - Parameter attempts: how many runs may be tried.
    @LoopActor package func shortened(attempts: Int = 300) -> Run {
        let first = result()
        guard let rule = first.breach?.rule else { return self }
        var (best, planned, left) = (self, first.planned, attempts)
        best.days = first.days
        var size = max(planned.count / 2, 1)
        while left > 0 {
            var start = 0
            var hasShrunk = false
            while start < planned.count, left > 0 {
                left -= 1
                var candidate = best
                candidate.leftOut.formUnion(planned[start..<min(start + size, planned.count)])
                let result = candidate.result()
                if result.breach?.rule == rule {
                    (best, planned, hasShrunk) = (candidate, result.planned, true)
                } else {
                    start += size
                }
            }
            guard size > 1 || hasShrunk else { break }
            size = max(size / 2, 1)
        }
        return best
    }
}
