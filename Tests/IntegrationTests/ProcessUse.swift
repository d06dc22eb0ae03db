// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import TestSupport

/// What a process has of the machine, as `/proc` tells it.
struct ProcessUse: CustomStringConvertible {
    /// Open descriptors.
    let descriptors: Int
    /// The highest number among them.
    let highest: Int
    /// Resident memory, in KiB; 0 under a sanitizer, which has more of its own than the program.
    let memory: Int
    /// Processor time so far, in hundredths of a second.
    let time: Int

    init(_ process: ChildProcess) throws {
        let folder = "/proc/\(process.processID)"
        let numbers = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").compactMap { Int($0) }
        descriptors = numbers.count
        highest = numbers.max() ?? 0
        let status = try Self.text(folder + "/status").split(separator: "\n")
        let words = status.first { $0.hasPrefix("VmRSS:") }?.split(whereSeparator: { " \t".contains($0) })
        memory = Sanitizer.current == nil ? words.flatMap { Int($0[1]) } ?? 0 : 0
        let fields = try Self.text(folder + "/stat").split(separator: ")").last?.split(separator: " ") ?? []
        time = fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
    }

    var description: String { "\(descriptors) descriptors, \(memory / 1024) MiB" }

    private static func text(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else { throw TimedOut(path) }
        return String(decoding: data, as: UTF8.self)
    }
}

extension Stand {
    /// Looks at the daemon until it is back to this, and says what it then has: descriptors to the number, memory to so
    /// many KiB more. It gives memory back within a quarter of a minute of the last request to a provider.
    @discardableResult
    func awaitUse(like before: ProcessUse, memory slack: Int = 24 * 1024) async throws -> ProcessUse {
        let limit = ContinuousClock.now.advanced(by: .seconds(30))
        while true {
            let use = try ProcessUse(daemon.process)
            if use.descriptors <= before.descriptors, use.memory <= before.memory + slack { return use }
            guard ContinuousClock.now < limit else { throw TimedOut("\(use) to be like \(before)") }
            // The daemon takes its turns.
            _ = try await client.result("hello")
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// How long some answers to one more client took, in order of their length.
    func answerTimes(_ count: Int = 20) async throws -> [Duration] {
        var times: [Duration] = []
        for _ in 0..<count {
            let start = ContinuousClock.now
            _ = try await token()
            times.append(start.duration(to: .now))
        }
        return times.sorted()
    }
}

extension Duration {
    /// To be read in a line of figures.
    var milliseconds: String {
        let tenths = components.seconds * 10_000 + components.attoseconds / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
