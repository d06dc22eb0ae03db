// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// The findings of `doctor` as lines for people. Pure.
package struct DoctorReport: Sendable {
    private let checks: [Doctor.Check]

    /// In the order in which they are shown.
    package init(_ checks: [Doctor.Check]) {
        self.checks = checks
    }

    /// 0 only where nothing failed.
    package var exitCode: Int32 { failures == 0 ? ExitCode.success : ExitCode.notUsable }

    private var failures: Int { checks.count { $0.result == .fail } }

    /// The last word.
    package var summary: String {
        switch failures {
        case 0: "Nothing is wrong."
        case 1: "One thing is wrong."
        case let count: "\(count) things are wrong."
        }
    }

    /// A finding each: what was looked at and what was seen, its fix below.
    package func lines(width: Int, palette: Palette) -> [String] {
        let checks = checks.map(Self.titled)
        let names = checks.map { TerminalText.sanitized($0.name, limit: 60) }
        let column = min(names.map(DisplayWidth.of).max() ?? 0, 30)
        return zip(checks, names).flatMap { check, name in
            lines(check, name, column: column, width: width, palette: palette)
        }
    }

    private func lines(_ check: Doctor.Check, _ name: String, column: Int, width: Int, palette: Palette) -> [String] {
        let (sign, meaning) = sign(check.result, palette)
        let padding = String(repeating: " ", count: max(2, column + 2 - DisplayWidth.of(name)))
        var text = palette.fitting(TerminalText.sanitized(check.detail ?? ""))
        // The daemon's sentence may end with the fix: it is told once, where it can be copied.
        if let mend = check.mend, text.hasSuffix(": " + mend) { text.removeLast(mend.count + 1) }
        let beside = DisplayWidth.of(sign) + 1 + column + 2
        // A long path would leave the column anyway: then all of it goes below, where there is more room.
        let isBelow = text.split(separator: " ").contains { DisplayWidth.of(String($0)) > width - beside }
        let indent = String(repeating: " ", count: isBelow ? 4 : beside)
        let detail = DisplayWidth.wrap(text, width: max(20, width - indent.count))
        let first = palette.paint(sign, meaning) + " " + palette.paint(name, .strong)
        var lines =
            isBelow
            ? [first] + detail.prefix(1).map { indent + $0 } : [first + (detail.first.map { padding + $0 } ?? "")]
        lines += detail.dropFirst().map { indent + $0 }
        if let mend = check.mend, check.result != .ok {
            let step = NextStep(TerminalText.sanitized(mend))
            lines += step.lines(width: width, palette: palette, indent: "    ")
        }
        return lines
    }

    /// The daemon names the store as its setting does.
    private static func titled(_ check: Doctor.Check) -> Doctor.Check {
        let begin = "store of "
        guard check.name.hasPrefix(begin) else { return check }
        let kind = check.name.dropFirst(begin.count)
        var titled = check
        titled.name = "secret store"
        titled.detail =
            (StoreKind(rawValue: String(kind)) == .secretService ? "Secret Service" : "\(kind)")
            + (check.detail.map { ": " + $0 } ?? "")
        return titled
    }

    private func sign(_ result: Doctor.Check.Outcome, _ palette: Palette) -> (String, Palette.Meaning) {
        switch result {
        case .ok: (palette.unicode ? "✓" : "ok ", .good)
        case .fail: (palette.unicode ? "✗" : "BAD", .bad)
        default: (palette.unicode ? "–" : "-  ", .quiet)
        }
    }
}
