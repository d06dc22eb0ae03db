// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// What happened in a run, in its order: counted always, hashed always, and kept as lines where somebody will read them.
@LoopActor final class Trace {
    private(set) var lines: [String] = []
    /// The same for two runs in which the same happened at the same time (FNV-1a).
    private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    private let keepsLines: Bool
    private let agenda: Agenda

    init(_ agenda: Agenda, keepsLines: Bool) {
        self.agenda = agenda
        self.keepsLines = keepsLines
    }

    /// Notes that something happened; `details` is read for a trace alone.
    func note(_ kind: StaticString, _ details: @autoclosure () -> String = "") {
        mix(UInt64(bitPattern: agenda.now))
        kind.withUTF8Buffer { for byte in $0 { mix(UInt64(byte)) } }
        counted[UInt(bitPattern: kind.utf8Start), default: (kind, 0)].count += 1
        guard keepsLines else { return }
        let text = details()
        let name = "\(kind)"
        lines.append("\(stamp) \(name)\(text.isEmpty ? "" : ": \(text)")")
    }

    private var counted: [UInt: (kind: StaticString, count: Int)] = [:]

    /// How often each kind of event was met, by its name.
    var kinds: [String: Int] {
        Dictionary(counted.values.map { ("\($0.kind)", $0.count) }, uniquingKeysWith: +)
    }

    private func mix(_ value: UInt64) {
        digest = (digest ^ value) &* 0x100_0000_01b3
    }

    /// Day and time of day.
    private var stamp: String {
        let (day, rest) = agenda.now.quotientAndRemainder(dividingBy: .day)
        let parts = [rest / .hours(1), rest / .minutes(1) % 60, rest / .seconds(1) % 60].map(Self.twoDigits)
        let fraction = String(rest % .seconds(1) + .seconds(1)).dropFirst()
        return "day \(day) \(parts.joined(separator: ":")).\(fraction)"
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
