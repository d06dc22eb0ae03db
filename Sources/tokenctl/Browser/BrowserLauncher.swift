// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Starts the first browser that works, detached, and notices the ones that fail at once.
package struct BrowserLauncher {
    private var remaining: [BrowserCandidates.Command]
    private var running: (pid: pid_t, program: String)?
    /// The failures so far, in order: half a sentence each.
    private var failures: [String] = []
    /// The last one ended with success: it has passed the page on.
    private var hasOpened = false
    private let environment: ProgramVariables

    /// Nothing is started yet.
    package init(candidates: [BrowserCandidates.Command], environment: ProgramVariables) {
        remaining = candidates
        self.environment = environment
    }

    /// The browser's state.
    package enum Progress: Sendable, Equatable {
        /// Started, and has not failed.
        case underWay
        /// Every candidate failed, or there was none.
        case exhausted
    }

    /// Starts the next candidate if none runs, or if the last one failed. Never waits.
    package mutating func advance() -> Progress {
        if let (pid, program) = running {
            var status: Int32 = 0
            guard !hasOpened, waitpid(pid, &status, WNOHANG) == pid else { return .underWay }
            guard status != 0 else {
                hasOpened = true
                return .underWay
            }
            failures.append("“\(program)” \(Self.ending(status))")
            running = nil
        }
        while !remaining.isEmpty {
            let command = remaining.removeFirst()
            let program = TerminalText.sanitized(command.arguments[0])
            let arguments = SystemText.list(command.arguments)
            if let pid = ProgramStart(arguments: arguments, environment: environment, isDetached: true)() {
                running = (pid, program)
                return .underWay
            }
            failures.append("“\(program)” could not be started")
        }
        return .exhausted
    }

    /// The message if all have failed: the programs and how they ended.
    package var complaint: String {
        let reason = failures.isEmpty ? "" : " (\(failures.joined(separator: ", ")))"
        return "No browser has opened the page\(reason): open the URL yourself."
    }

    private static func ending(_ status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0 ? "ended with \(status >> 8 & 0xFF)" : "was ended by signal \(signal)"
    }
}
