// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// What to say if no browser is opened from here: how the user reaches the page, and how the answer arrives. Pure.
package struct BrowserAbsence: Sendable {
    private let started: LoginStart.Result
    private let account: String
    private let environment: [String: String]

    /// For a sign-in that has begun.
    package init(_ started: LoginStart.Result, account: String, environment: [String: String]) {
        self.started = started
        self.account = account
        self.environment = environment
    }

    /// The lines. `reason`: why no browser is opened; nil if that was requested.
    package func lines(reason: String?) -> [String] {
        let opening = reason.map { "No browser is opened (\($0))" }
        guard comesToListener else {
            return [(opening.map { $0 + ": open" } ?? "Open") + " the URL yourself, on this machine.", elsewhere]
        }
        if let command = SSHForwarding.command(
            redirectURI: started.redirectURI,
            connection: environment["SSH_CONNECTION"]
        ) {
            return [
                (opening.map { $0 + ". On" } ?? "On") + " the machine with the browser, run this first,",
                "so that the answer finds its way here:", "", "  " + command, "",
            ] + shortPage("Then open this there, which leads to the URL above:")
                + ["Or, without that: \(paste)"]
        }
        let short = shortPage("For a browser on this machine, this is shorter:")
        return (opening.map { [$0 + ": open the URL yourself, on this machine."] } ?? []) + short + [elsewhere]
    }

    private var paste: String { "tokenctl login \(TerminalText.sanitized(account)) --paste" }

    private var elsewhere: String { "For a browser elsewhere: \(paste)" }

    private func shortPage(_ sentence: String) -> [String] {
        started.startURL.map { [sentence, "", "  " + TerminalText.sanitized($0), ""] } ?? []
    }

    private var comesToListener: Bool { started.redirectURI?.hasPrefix("http://") ?? true }
}
