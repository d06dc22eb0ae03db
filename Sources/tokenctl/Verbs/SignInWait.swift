// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient
import TokendProtocol

/// Waits for a sign-in's end: the countdown, the browser that fails, the hint, Ctrl-C.
struct SignInWait {
    private let context: CommandContext
    private let account: String
    private let started: LoginStart.Result
    private let interruption: Interruption
    private var launcher: BrowserLauncher?
    private var hintAt: Int64?
    private var turn = 0
    private var console: Console { context.console }

    init(
        _ context: CommandContext,
        account: String,
        started: LoginStart.Result,
        interruption: Interruption,
        launcher: BrowserLauncher?
    ) {
        self.context = context
        self.account = account
        self.started = started
        self.interruption = interruption
        self.launcher = launcher
        hintAt = started.authorizationURL == nil ? nil : context.now + 20
    }

    mutating func run() throws(TokenctlError) -> Answer<LoginResult> {
        let client = try context.client()
        do throws(TokenClientError) {
            if let result = try wait(client) { return result }
        } catch {
            throw context.translated(error, account: account)
        }
        console.clearSpinner()
        throw SignInCancellation(client, interruption).cancel(started.loginID)
    }

    /// The result of `login.wait`; nil after Ctrl-C.
    private mutating func wait(_ client: TokenClient) throws(TokenClientError) -> Answer<LoginResult>? {
        let left = max(1, TimeLeft.seconds(until: started.expiresAt, from: context.now))
        let params = LoginWait.Parameters(loginID: started.loginID, timeout: left + 10).encoded()
        let pending = try client.send(.loginWait, params, deadline: Deadline(in: .seconds(10)))
        while context.now - 30 < started.expiresAt {
            step()
            let tick = Deadline(in: .milliseconds(console.traits.errorIsTerminal ? 120 : 1000))
            switch try client.wait(for: pending, until: tick, watching: interruption.descriptor, resend: params) {
            case .reply(let result): return Answer(result)
            case .deadline: continue
            case .interrupted: return nil
            }
        }
        throw TokenClientError(.timeout, "the sign-in's time ran out")
    }

    private mutating func step() {
        if launcher?.advance() == .exhausted {
            launcher.map { console.say($0.complaint) }
            launcher = nil
        }
        if let time = hintAt, context.now >= time {
            hintAt = nil
            console.say("Nothing to see? Open the URL above in any browser on this machine.")
            if let redirect = started.redirectURI {
                RegistrationHint(redirect).lines.forEach(console.say)
            }
        }
        let frames = console.traits.errorPalette.spinner
        turn = (turn + 1) % frames.count
        let left = TimePhrase.countdown(TimeLeft.seconds(until: started.expiresAt, from: context.now))
        let what = started.userCode == nil ? "your sign-in" : "you to enter the code"
        console.spin("\(frames[turn]) Waiting for \(what), \(left) left (Ctrl-C cancels)")
    }
}
