// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient
import TokendProtocol

/// A verb's context: its invocation, the terminal, the daemon. Adds the next step to every error.
final class CommandContext {
    let invocation: Invocation
    let console: Console
    let world: Program.World
    private var openClient: TokenClient?
    private var interruption: Interruption?

    init(_ invocation: Invocation, console: Console, world: Program.World) {
        self.invocation = invocation
        self.console = console
        self.world = world
    }

    var now: Int64 { world.now() }

    /// The operands.
    var operands: [String] { invocation.operands }

    /// Whether the switch was given.
    subscript(flag: Flag<Bool>) -> Bool { invocation[flag] }

    /// The text, where one was given.
    subscript(flag: Flag<String>) -> String? { invocation[flag] }

    /// The value as the flag reads it, where one was given.
    subscript<Value>(flag: Flag<Value>) -> Value? {
        get throws(TokenctlError) { try invocation[flag] }
    }

    /// The client, connecting with its first call.
    func client() throws(TokenctlError) -> TokenClient {
        if let openClient { return openClient }
        do throws(TokenClientError) {
            let client = try TokenClient(environment: world.environment)
            openClient = client
            return client
        } catch {
            throw advice(nil).error(error)
        }
    }

    /// From here on Ctrl-C is reported (an error, `interrupted`) instead of ending the program.
    func takeOverSignals() -> Interruption {
        if let interruption { return interruption }
        let taken = world.takeOverSignals()
        interruption = taken
        return taken
    }

    /// Calls the daemon.
    ///
    /// - Parameters:
    ///   - account: the one that it is about, for the advice beside a fault.
    ///   - showsWait: whether a moving line says what is waited for, where that takes long.
    func ask<Call: MethodCall>(
        _ call: Call.Type,
        _ parameters: Call.Parameters,
        account: String? = nil,
        timeout: Duration = .seconds(90),
        showsWait: Bool = false
    ) throws(TokenctlError) -> Answer<Call.Result> {
        let client = try client()
        do throws(TokenClientError) {
            let (watching, encoded) = (interruption?.descriptor ?? -1, parameters.encoded())
            guard showsWait, console.traits.errorIsTerminal else {
                return Answer(try client.call(call.method, encoded, timeout: timeout, watching: watching))
            }
            var wait = VisibleWait(console, client, account: account)
            return Answer(try wait.call(call.method, encoded, timeout: timeout, watching: watching))
        } catch {
            throw translated(error, account: account)
        }
    }

    /// Like `ask`; if the store is locked and a user is present, opens it first (by its own prompt, or ours) and
    /// repeats the call.
    func askOpeningStore<Call: MethodCall>(
        _ call: Call.Type,
        _ parameters: Call.Parameters,
        account: String?,
        timeout: Duration = .seconds(90)
    ) throws(TokenctlError) -> Answer<Call.Result> {
        do throws(TokenctlError) {
            return try ask(call, parameters, account: account, timeout: timeout, showsWait: true)
        } catch {
            guard error.code == .storeLocked, console.traits.isInteractive else { throw error }
            try StoreOpening(context: self).run(after: error)
        }
        return try ask(call, parameters, account: account, timeout: timeout, showsWait: true)
    }

    /// The named account, else the default one, else the only one.
    func account() throws(TokenctlError) -> String {
        if let named = invocation.account { return named }
        let list = try ask(AccountList.self, NoParameters())
        if let standard = list.defaultAccount { return standard }
        let names = list.accounts
        if names.count == 1 { return names[0] }
        throw TokenctlError(
            .accountUnknown,
            exitCode: ExitCode.usage,
            names.isEmpty
                ? "there is no account yet; make one and sign in:" : "which account? There are \(names.count):",
            next: advice(nil).accountSteps(names.map { TerminalText.sanitized($0) })
        )
    }

    /// The account that was named is none of these.
    func unknownAccount(_ names: [String]) -> TokenctlError {
        TokenctlError(
            .accountUnknown,
            exitCode: ExitCode.usage,
            "there is no account “\(TerminalText.sanitized(invocation.account ?? ""))”",
            next: advice(nil).accountSteps(names.map { TerminalText.sanitized($0) })
        )
    }

    /// The path of another program that a verb runs.
    ///
    /// - Throws: `input` if it is not installed, with the name of its Debian package.
    func program(_ name: String, of package: String? = nil) throws(TokenctlError) -> String {
        if let path = world.findProgram(name) { return path }
        throw TokenctlError(
            .input,
            exitCode: ExitCode.unavailable,
            "\(name) is not installed",
            next: ["apt install \(package ?? name)"]
        )
    }

    /// Prints the result as one document, if JSON was requested.
    func finish<Result>(_ answer: Answer<Result>, otherwise show: () -> Void) {
        finish(answer.json, otherwise: show)
    }

    /// The same for a document of tokenctl's own.
    func finish(_ document: JSONObject, otherwise show: () -> Void) {
        if invocation.wantsJSON {
            console.printJSON(.object(document))
        } else {
            show()
        }
    }

    func translated(_ error: TokenClientError, account: String?) -> TokenctlError {
        if error.code == .interrupted, let interruption {
            return .interrupted(by: interruption.take() ?? 2, "interrupted")
        }
        return advice(account).error(error)
    }

    private func advice(_ account: String?) -> Advice {
        Advice(
            verb: invocation.verb,
            account: account ?? invocation.account,
            operands: invocation.operands,
            now: now
        )
    }
}
