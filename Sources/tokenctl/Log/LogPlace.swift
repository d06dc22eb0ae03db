// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// Where a daemon's log is that does not go to the journal. Pure.
package struct LogPlace: Sendable, Equatable {
    private let file: String?

    /// From `daemon` of a `status` result; nil where the log is in the journal, or nothing is said.
    package init?(_ daemon: DaemonStatus) {
        guard daemon.log == DaemonStatus.logOnStderr else { return nil }
        file = daemon.logFile
    }

    /// What to say about it. `isInstalled`: there are units that would start the daemon.
    package func lines(isInstalled: Bool) -> [String] {
        let place =
            switch file {
            case nil: "its log goes to whatever started it"
            case "/dev/null"?: "its log goes to /dev/null, and is lost"
            case let file?: "its log goes to \(TerminalText.sanitized(file))"
            }
        let sentence = "The tokend that runs was started by hand, not by systemd: \(place)."
        guard isInstalled else { return [sentence] }
        return [sentence, "Once it has ended, systemd starts the next one, and the journal has its log."]
    }
}
