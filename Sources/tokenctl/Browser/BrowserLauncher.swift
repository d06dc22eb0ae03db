// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Starts the first browser that works, detached, and notices the ones that fail at once.
package struct BrowserLauncher {
    private var remaining: [BrowserCandidates.Command]
    private var running: pid_t?
    /// The one that ran last ended well: it has handed the page over.
    private var hasOpened = false
    private let environment: ProgramVariables

    /// Nothing is started yet.
    package init(candidates: [BrowserCandidates.Command], environment: ProgramVariables) {
        remaining = candidates
        self.environment = environment
    }

    /// How it stands with the browser.
    package enum Progress: Sendable, Equatable {
        /// Started and not ended badly.
        case underWay
        /// Every candidate failed, or there was none.
        case exhausted
    }

    /// Starts the next candidate where none runs, and moves on where the last one ended with a fault. Never waits.
    package mutating func advance() -> Progress {
        if let pid = running {
            var status: Int32 = 0
            guard !hasOpened, waitpid(pid, &status, WNOHANG) == pid else { return .underWay }
            guard status != 0 else {
                hasOpened = true
                return .underWay
            }
            running = nil
        }
        while !remaining.isEmpty {
            let command = remaining.removeFirst()
            let arguments = SystemText.list(command.arguments)
            running = ProgramStart(arguments: arguments, environment: environment, isDetached: true)()
            if running != nil { return .underWay }
        }
        return .exhausted
    }
}
