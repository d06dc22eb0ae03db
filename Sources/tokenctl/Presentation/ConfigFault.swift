// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// A fault of the configuration as one line: `FILE:LINE: MEMBER: MESSAGE`.
package struct ConfigFault: Sendable {
    /// What to print.
    package let line: String
    /// What to do about it where that is not to edit the file.
    package let mend: ConfigurationFault.Mend?
    private let place: String

    /// What the daemon says of it.
    package init(_ fault: ConfigurationFault) {
        var parts = fault.file.isEmpty ? "configuration" : fault.file
        if let line = fault.line { parts += ":\(line)" }
        place = TerminalText.sanitized(parts, limit: 600) + ": "
        if let member = fault.member { parts += ": \(member)" }
        if !fault.message.isEmpty { parts += ": \(fault.message)" }
        mend = fault.mend
        line = TerminalText.sanitized(parts, limit: 600)
    }

    /// What to do about it; nil where nothing is to be done. `isService`: systemd started the daemon.
    package func step(isService: Bool) -> String? {
        switch mend {
        case .restart: DaemonStart.again(isService: isService)
        case .reload: "tokenctl reload"
        case .wait: nil
        case nil: Self.mendIt
        }
    }

    /// What to do about a fault that has its place in a file.
    package static let mendIt = "fix it; tokend notices the change by itself"

    /// What to do about all of `faults`, each step once.
    package static func steps(_ faults: [ConfigFault], isService: Bool) -> [String] {
        var steps = faults.contains { $0.mend == nil } ? [mendIt] : []
        for step in faults.compactMap({ $0.step(isService: isService) }) where !steps.contains(step) {
            steps.append(step)
        }
        return steps
    }

    /// The daemon's sentence about it without file and line.
    package func withoutPlace(_ sentence: String) -> String {
        sentence.hasPrefix(place) ? String(sentence.dropFirst(place.count)) : sentence
    }
}
