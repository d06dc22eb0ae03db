// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient
import TokendProtocol

/// One sign-in, from `login.start` to the end: shows the URL and opens the browser, or shows the code; waits; Ctrl-C cancels it in the daemon.
struct SignIn {
    /// What the user wants of it.
    struct Options {
        /// nil: the account's own.
        var flow: LoginFlow?
        var opensBrowser = true
        var scope: String?
        var redirectURI: String?
        /// Seconds.
        var timeout: Int64?
        /// Whether another user than last time may sign in.
        var force = false
        var loginHint: String?
        /// Whether the user pastes the address that the browser ends on.
        var pastes = false
        /// The acceptable authentication classes, with spaces between.
        var acrValues: String?
        /// Seconds that may have passed since the user last signed in at the provider.
        var maxAge: Int64?
    }

    private let context: CommandContext
    private let account: String
    private let options: Options
    private var console: Console { context.console }

    init(_ context: CommandContext, account: String, options: Options) {
        self.context = context
        self.account = account
        self.options = options
    }

    /// The result of `login.wait`.
    func run() throws(TokenctlError) -> Answer<LoginResult> {
        let interruption = context.takeOverSignals()
        let started = try start(interruption)
        let result = try wait(for: started, interruption)
        console.clearSpinner()
        Welcome(result.result, isOwn: !started.flow.hasUser).lines(account, now: context.now).forEach(
            console.say
        )
        leadOn(result.result)
        return result
    }

    /// Says to somebody at a terminal what to do with the sign-in.
    private func leadOn(_ result: LoginResult) {
        guard console.traits.errorIsTerminal, !context.invocation.wantsJSON else { return }
        var status = AccountStatus()
        status.state = .ready
        status.scope = result.scope
        let steps = context.toolNeeds(account, status)?.stepsAfterSignIn { context.world.findProgram($0) != nil } ?? []
        console.sayNext(steps.isEmpty ? ["tokenctl token \(ShellWord.quoted(account))"] : steps)
    }

    private func wait(
        for started: LoginStart.Result,
        _ interruption: Interruption
    ) throws(TokenctlError) -> Answer<LoginResult> {
        let launcher = announce(started)
        if options.pastes {
            var paste = SignInPaste(
                context,
                account: account,
                started: started,
                interruption: interruption,
                launcher: launcher
            )
            return try paste.run()
        }
        var wait = SignInWait(
            context,
            account: account,
            started: started,
            interruption: interruption,
            launcher: launcher
        )
        return try wait.run()
    }

    private func start(_ interruption: Interruption) throws(TokenctlError) -> LoginStart.Result {
        do throws(TokenctlError) {
            return try startOpeningStore(interruption)
        } catch {
            // A private-use scheme that nothing opens yet.
            guard !options.pastes, let scheme = error.details.scheme else { throw error }
            try SchemeOffer(context, account: account, opensBrowser: options.opensBrowser).take(scheme, or: error)
        }
        return try startOpeningStore(interruption)
    }

    private func startOpeningStore(_ interruption: Interruption) throws(TokenctlError) -> LoginStart.Result {
        do throws(TokenctlError) {
            return try startOnce(interruption)
        } catch {
            guard error.code == .storeLocked, console.traits.isInteractive else { throw error }
            try StoreOpening(context: context).run(after: error)
        }
        return try startOnce(interruption)
    }

    private func startOnce(_ interruption: Interruption) throws(TokenctlError) -> LoginStart.Result {
        let params = parameters.encoded()
        let client = try context.client()
        let pending: TokenClient.PendingReply
        do throws(TokenClientError) {
            let deadline = Deadline(in: .seconds(90))
            pending = try client.send(.loginStart, params, deadline: deadline)
            if let result = try answer(client, pending, params, interruption, until: deadline) { return result }
        } catch {
            throw context.translated(error, account: account)
        }
        throw SignInCancellation(client, interruption).cancel(pending)
    }

    /// The answer to `login.start`; nil after Ctrl-C. The daemon asks the provider first.
    private func answer(
        _ client: TokenClient,
        _ pending: TokenClient.PendingReply,
        _ params: JSONObject,
        _ interruption: Interruption,
        until deadline: Deadline
    ) throws(TokenClientError) -> LoginStart.Result? {
        defer { console.clearSpinner() }
        let frames = console.traits.errorPalette.spinner
        var turn = 0
        var next = deadline.capped(in: .milliseconds(700))
        while true {
            switch try client.wait(for: pending, until: next, watching: interruption.descriptor, resend: params) {
            case .reply(let result): return try LoginStart.Result(reply: result)
            case .interrupted: return nil
            case .deadline where deadline.isOver:
                throw TokenClientError(.timeout, "tokend has not begun the sign-in in time")
            case .deadline:
                turn = (turn + 1) % frames.count
                let name = TerminalText.sanitized(account)
                console.spin("\(frames[turn]) Waiting for the provider of “\(name)” (Ctrl-C ends)")
                next = deadline.capped(in: .milliseconds(console.traits.errorIsTerminal ? 120 : 1000))
            }
        }
    }

    private var parameters: LoginStart.Parameters {
        var parameters = LoginStart.Parameters(account: account)
        parameters.flow = options.flow
        parameters.openBrowser = false
        parameters.scope = options.scope
        parameters.redirectURI = options.redirectURI
        parameters.timeout = options.timeout
        if options.force { parameters.force = true }
        parameters.loginHint = options.loginHint
        if options.pastes { parameters.completes = true }
        parameters.acrValues = options.acrValues
        parameters.maxAge = options.maxAge
        return parameters
    }

    /// The URL first, always; then what becomes of it.
    private func announce(_ started: LoginStart.Result) -> BrowserLauncher? {
        if let prompt = DevicePrompt(started, account: account) {
            prompt.lines(console.traits, encoder: QREncoder(context.world).callAsFunction).forEach(console.sayWhole)
            return nil
        }
        guard let url = started.authorizationURL else { return nil }
        let palette = console.traits.errorPalette
        console.say("Sign in to \(palette.paint(TerminalText.sanitized(account), .strong)) in your browser:")
        console.say("")
        console.say("  " + TerminalText.sanitized(url, limit: 16384))
        console.say("")
        let environment = context.world.environment
        let absence = BrowserAbsence(started, account: account, environment: environment)
        guard options.opensBrowser else {
            if !options.pastes { absence.lines(reason: nil).forEach(console.say) }
            return nil
        }
        let missing = BrowserCandidates.missing(environment: environment, find: context.world.findProgram)
        for name in missing {
            console.say("BROWSER names “\(TerminalText.sanitized(name))”; there is no such program.")
        }
        let candidates = started.page.map {
            BrowserCandidates.list(url: $0, environment: environment, find: context.world.findProgram)
        }
        guard let candidates, !candidates.isEmpty else {
            guard !options.pastes else { return nil }
            let isScreen = BrowserCandidates.hasDisplay(environment)
            let reason = isScreen ? "no xdg-open is installed" : "this session has no display"
            absence.lines(reason: reason).forEach(console.say)
            return nil
        }
        return BrowserLauncher(candidates: candidates, environment: context.world.variables)
    }
}

extension LoginStart.Result {
    /// What the browser is to open: the daemon's short page where it has one, so that the long URL is in no process list.
    fileprivate var page: String? {
        // A browser's command line takes more than URLs; only these go there.
        (startURL ?? authorizationURL).flatMap { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil }
    }

    fileprivate init(reply: JSONObject) throws(TokenClientError) {
        do throws(ProtocolError) {
            try self.init(json: reply)
        } catch {
            throw TokenClientError(.protocolViolation, error.message)
        }
    }
}
