// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Simulation
import Systemd

/// `simulate --seed S --seeds N --stride K --days D [--seconds T] [--trace] [--first]`: the runs of the seeds S, S + K and so on: N of
/// them, or as many as T seconds take. `simulate --known` reads seeds and days from its input, a pair a line.
///
/// Prints a line for each broken rule, with the shortened trace of the first; then how often each kind of event was met.
/// With `--first` it ends with the first one, without a trace.
/// Ends with 1 where a rule was broken. `scripts/simulate` runs it.
@main
struct Simulate {
    static func main() throws {
        // The order in which a dictionary is walked through is part of a run.
        if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
            setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
            execv("/proc/self/exe", CommandLine.unsafeArgv)
        }
        try EventLoop.main.adoptCurrentThread()
        LoopActor.assumeIsolated {
            var report = Report()
            for run in runs() {
                report.take(run)
                if report.isOver { break }
            }
            report.finish()
            exit(report.isGood ? 0 : 1)
        }
    }

    private static func runs() -> any Sequence<Run> {
        guard !CommandLine.arguments.contains("--known") else { return known() }
        let (first, stride) = (UInt64(option("--seed") ?? 1), UInt64(option("--stride") ?? 1))
        let (count, days) = (option("--seeds") ?? 100, option("--days") ?? 10)
        return (0..<count).lazy.map { Run(seed: first &+ UInt64($0) &* stride, days: days) }
    }

    private static func known() -> [Run] {
        var runs: [Run] = []
        while let line = readLine() {
            let words = line.split(separator: " ")
            guard words.count > 1, let seed = UInt64(words[0]), let days = Int(words[1]) else { continue }
            runs.append(Run(seed: seed, days: days))
        }
        return runs
    }

    /// The number after an option's name.
    static func option(_ name: String) -> Int? {
        guard let index = CommandLine.arguments.firstIndex(of: name) else { return nil }
        return CommandLine.arguments.dropFirst(index + 1).first.flatMap(Int.init)
    }
}

/// What came of the runs by now.
@LoopActor struct Report {
    private var kinds: [String: Int] = [:]
    private var (seeds, days, breaches) = (0, 0, 0)
    private let start = ContinuousClock.now
    private let limit = Simulate.option("--seconds")
    private let isTraced = CommandLine.arguments.contains("--trace")
    private let endsWithFirst = CommandLine.arguments.contains("--first")
    /// Each so many-th run is done twice, to see that the same happens.
    private static let twice = 50

    var isGood: Bool { breaches == 0 }

    var isOver: Bool { endsWithFirst && breaches > 0 || isLate }

    private var isLate: Bool { limit.map { ContinuousClock.now - start > .seconds($0) } ?? false }

    mutating func take(_ run: Run) {
        let result = run.result(keepsTrace: isTraced)
        for line in result.trace { print(line) }
        for (kind, count) in result.kinds { kinds[kind, default: 0] += count }
        if seeds % Self.twice == 0, run.result().digest != result.digest {
            breaches += 1
            print("seed \(run.seed), \(run.days) days: two runs of it differ")
        }
        seeds += 1
        days += result.days
        guard let breach = result.breach else { return }
        breaches += 1
        print("seed \(run.seed), \(run.days) days: \(breach.rule) \(breach.details)")
        if breaches == 1, !isTraced, !endsWithFirst { explain(run) }
        fflush(nil)
    }

    private func explain(_ run: Run) {
        let short = run.shortened()
        print("Its trace, with all left out that it does not take:")
        for line in short.result(keepsTrace: true).trace { print("  \(line)") }
    }

    func finish() {
        for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) { print("met \(count) \(kind)") }
        print("met \(seeds) seeds")
        print("met \(days) days")
    }
}
