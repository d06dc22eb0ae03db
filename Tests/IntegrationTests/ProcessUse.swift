// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import TestSupport

/// What a process has of the machine.
struct ProcessUse {
    /// Open descriptors.
    let descriptors: Int
    /// Resident memory, in KiB.
    let memory: Int
    /// Processor time so far, in hundredths of a second.
    let time: Int

    init(_ process: ChildProcess) throws {
        let folder = "/proc/\(process.processID)"
        descriptors = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count
        let status = try Self.text(folder + "/status").split(separator: "\n")
        let words = status.first { $0.hasPrefix("VmRSS:") }?.split(whereSeparator: { " \t".contains($0) })
        memory = words.flatMap { Int($0[1]) } ?? 0
        let fields = try Self.text(folder + "/stat").split(separator: ")").last?.split(separator: " ") ?? []
        time = fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
    }

    private static func text(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else { throw TimedOut(path) }
        return String(decoding: data, as: UTF8.self)
    }
}

extension Stand {
    /// Looks at the daemon until it is back to this: descriptors to the number, memory to so many KiB more.
    func awaitUse(like before: ProcessUse, memory slack: Int) async throws {
        let limit = ContinuousClock.now.advanced(by: .seconds(20))
        while true {
            let use = try ProcessUse(daemon.process)
            if use.descriptors <= before.descriptors, use.memory <= before.memory + slack { return }
            guard ContinuousClock.now < limit else { throw TimedOut("\(use) to be like \(before)") }
            // The daemon takes its turns.
            _ = try await client.result("hello")
        }
    }

    /// The longest of some answers to one more client.
    func worstAnswer(of count: Int = 20) async throws -> Duration {
        var worst = Duration.zero
        for _ in 0..<count {
            let start = ContinuousClock.now
            _ = try await token()
            worst = max(worst, start.duration(to: .now))
        }
        return worst
    }
}
