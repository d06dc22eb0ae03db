// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Opens the page that leads to the provider's own logout. Nothing is waited for: what is local is gone already.
struct SignOutPage {
    private let context: CommandContext
    private let url: String
    private var console: Console { context.console }

    /// `url`: the daemon's own page; it leads on once, within a minute.
    init(_ context: CommandContext, url: String) {
        self.context = context
        self.url = url
    }

    /// Shows the URL, and opens a browser unless there is none or none is wanted.
    func open(_ account: String) {
        console.say("To sign out at the provider of \(TerminalText.sanitized(account)) too, within a minute:")
        console.say("")
        console.say("  " + TerminalText.sanitized(url, limit: 16384))
        console.say("")
        // A browser's command line takes more than URLs; only the daemon's own page goes there.
        guard !context[.noBrowser], url.hasPrefix("http://") else { return }
        let environment = context.world.environment
        let candidates = BrowserCandidates.list(
            url: url,
            environment: environment,
            find: context.world.findProgram
        )
        guard !candidates.isEmpty else { return absence(environment).forEach(console.say) }
        var launcher = BrowserLauncher(candidates: candidates, environment: context.world.variables)
        // One that cannot start ends at once; the next is tried then.
        for _ in 0..<10 where launcher.advance() != .exhausted { poll(nil, 0, 100) }
        if launcher.advance() == .exhausted { console.say(launcher.complaint) }
    }

    private func absence(_ environment: [String: String]) -> [String] {
        guard let command = SSHForwarding.command(redirectURI: url, connection: environment["SSH_CONNECTION"]) else {
            return ["No browser is opened: open the URL yourself, on this machine."]
        }
        return ["No browser is opened. On the machine with the browser, run this first:", "", "  " + command, ""]
    }
}
