// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTPTypes
import Secrets
import StrictJSON
import TokenClient
import TokendProtocol

/// Waits for a sign-in's end while the user may paste the address that the browser ended on, on whatever machine
/// (RFC 8252, section 7.2). The daemon checks origin, path and state; a wrong address says why, and is asked for again.
struct SignInPaste {
    private let context: CommandContext
    private let account: String
    private let started: LoginStart.Result
    private let interruption: Interruption
    private var launcher: BrowserLauncher?
    /// What came behind the last address.
    private var ahead: Console.SecretAnswer?
    /// The cursor stands behind the question.
    private var isAsking = false
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
    }

    mutating func run() throws(TokenctlError) -> Answer<LoginResult> {
        let client = try context.client()
        let paste = console.beginPaste()
        defer {
            closeQuestion()
            console.endPaste(paste)
        }
        explain()
        let pending: TokenClient.PendingReply
        do throws(TokenClientError) {
            let left = max(1, TimeLeft.seconds(until: started.expiresAt, from: context.now))
            let params = LoginWait.Parameters(loginID: started.loginID, timeout: left + 10).encoded()
            pending = try client.send(.loginWait, params, deadline: Deadline(in: .seconds(10)))
        } catch {
            throw context.translated(error, account: account)
        }
        while context.now - 30 < started.expiresAt {
            openBrowser()
            if let result = try poll(client, pending) { return result }
            switch nextAddress() {
            case .line(let address):
                if let result = try take(address, client) { return result }
            case .end: throw noAddress(client)
            case .interrupted, nil: continue
            }
        }
        throw TokenctlError(.timeout, exitCode: ExitCode.temporary, "the sign-in's time ran out")
    }

    /// The next line that has come, with those that an address goes on in where it was wrapped; nil where none has.
    private mutating func nextAddress() -> Console.SecretAnswer? {
        let first = ahead ?? console.takeLine()
        ahead = nil
        guard case .line(let line)? = first else { return first }
        var text = line.reveal().trimmingBlanks
        guard text.contains(text: "://") else { return first }
        // What is pasted comes at once, though not always in one piece.
        usleep(20_000)
        while let next = console.takeLine() {
            guard case .line(let more) = next, PastedAddress.isContinuation(more.reveal()) else {
                ahead = next
                break
            }
            text += more.reveal().trimmingBlanks
        }
        return .line(Secret(text))
    }

    private mutating func openBrowser() {
        guard launcher?.advance() == .exhausted else { return }
        closeQuestion()
        launcher.map { console.say($0.complaint) }
        launcher = nil
        ask()
    }

    /// The end, where it came another way.
    private func poll(_ client: TokenClient, _ pending: TokenClient.PendingReply) throws(TokenctlError) -> Answer<
        LoginResult
    >? {
        do throws(TokenClientError) {
            let tick = Deadline(in: .milliseconds(100))
            switch try client.wait(for: pending, until: tick, watching: interruption.descriptor) {
            case .reply(let result): return Answer(result)
            case .deadline: return nil
            case .interrupted: break
            }
        } catch {
            throw context.translated(error, account: account)
        }
        throw SignInCancellation(client, interruption).cancel(started.loginID)
    }

    private mutating func explain() {
        guard let redirectURI = started.redirectURI else { return }
        let shown = TerminalText.sanitized(redirectURI)
        console.say(
            "Sign in there, in a browser on any machine. It ends at an address that begins with \(shown) (the page "
                + "itself need not load; the provider must have that redirect URI)."
        )
        ask()
    }

    private mutating func ask() {
        console.prompt("Paste that whole address here, then Enter (it is not shown):")
        isAsking = true
    }

    /// What is said next begins a line of its own.
    private mutating func closeQuestion() {
        if isAsking { console.endPrompt() }
        isAsking = false
    }

    /// The result of `login.complete`; nil where another address is asked for.
    private mutating func take(_ address: Secret, _ client: TokenClient) throws(TokenctlError) -> Answer<LoginResult>? {
        closeQuestion()
        let words = PastedAddress.bare(address.reveal()).split(whereSeparator: \.isWhitespace)
        guard words.count == 1, let text = words.first.map(String.init) else {
            console.say(words.isEmpty ? "That was empty." : "An address has no blanks in it; copy it alone.")
            ask()
            return nil
        }
        let url = Secret(text)
        let check = LoginCheck.Parameters(loginID: started.loginID, url: url)
        guard try context.ask(LoginCheck.self, check, account: account).redirect else {
            console.say(PastedAddress.fault(of: text, redirectURI: started.redirectURI ?? ""))
            ask()
            return nil
        }
        let answer = LoginComplete.Parameters(url: url, loginID: started.loginID)
        do throws(TokenctlError) {
            return try context.ask(LoginComplete.self, answer, account: account)
        } catch {
            guard error.code == .loginUnknown else { throw error }
        }
        console.say(PastedAddress.otherAnswer)
        ask()
        return nil
    }

    private func noAddress(_ client: TokenClient) -> TokenctlError {
        _ = try? client.call(.loginCancel, LoginCancel.Parameters(loginID: started.loginID).encoded())
        return TokenctlError(
            .input,
            exitCode: ExitCode.noInput,
            "no address came in, so the sign-in is cancelled",
            next: ["tokenctl login \(TerminalText.sanitized(account)) --paste"]
        )
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        let start = drop(while: \.isWhitespace)
        return String(
            start.prefix(upTo: start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)
        )
    }
}
