// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
package import TokendProtocol

extension Verb {
    /// `tokenctl logout`: forgets the grant here, then revokes it at the provider.
    package static let logout = Verb(
        "logout",
        operands: [.account],
        flags: .of(
            .all,
            .keepGrant,
            .endSession,
            .noBrowser.help("with --end-session: print the URL, and open no browser")
        ),
        summary: "sign out here, and revoke the grant",
        examples: ["tokenctl logout work", "tokenctl logout work --end-session", "tokenctl logout --all"]
    ) { context throws(TokenctlError) in
        try LogoutVerb(context: context).run()
    }
}

extension Flag<Bool> {
    static var all: Flag { Flag("--all", "sign every account out") }
    static var keepGrant: Flag { Flag("--keep-grant", "forget it here, but do not revoke it at the provider") }
    static var endSession: Flag { Flag("--end-session", "also sign out at the provider, in your browser") }
}

/// What `logout` does.
private struct LogoutVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let invocation = context.invocation
        if invocation[.noBrowser], !invocation[.endSession] {
            throw .usage("--no-browser is for --end-session: nothing else of a logout opens one")
        }
        guard invocation[.all] else {
            let account = try context.account()
            let result = try logout(account)
            context.finish(result) { say(result.result, account) }
            endSession(result.result, account)
            return ExitCode.success
        }
        guard invocation.account == nil else { throw .usage("--all and an account's name exclude each other") }
        return logoutAll(try context.ask(AccountList.self, NoParameters()).accounts)
    }

    /// Every one, also after one that is refused; the result is the exit code, of the first refusal where there is one.
    private func logoutAll(_ names: [String]) -> Int32 {
        let invocation = context.invocation
        var results: [JSONValue] = []
        var code = ExitCode.success
        for name in names {
            do throws(TokenctlError) {
                let result = try logout(name)
                var document = result.json
                document["account"] = .string(name)
                results.append(.object(document))
                if !invocation.wantsJSON { say(result.result, name) }
                endSession(result.result, name)
            } catch {
                results.append(["account": .string(name), "error": error.member])
                if !invocation.wantsJSON { say(error, name) }
                if code == ExitCode.success { code = error.exitCode }
                // Ctrl-C is meant for all of it.
                if error.code == .interrupted { break }
            }
        }
        if invocation.wantsJSON { context.console.printJSON(.object(["accounts": .array(results)])) }
        if names.isEmpty, !invocation.wantsJSON { context.console.say("There is no account to sign out of.") }
        return code
    }

    private func say(_ error: TokenctlError, _ account: String) {
        let text = ErrorText(error, width: nil)
        let sentence = text.lines.joined().dropFirst(ErrorText.begin.count)
        context.console.say("\(TerminalText.sanitized(account)) is not signed out: \(sentence)")
        context.console.sayNext(text.next)
    }

    private func say(_ result: LogoutResult, _ account: String) {
        let keepsGrant = context[.keepGrant]
        Farewell(result, keepsGrant: keepsGrant).lines(account).forEach { context.console.say($0) }
    }

    /// Leads the user's browser to the provider's own logout, which is the user's to finish.
    private func endSession(_ result: LogoutResult, _ account: String) {
        guard let url = result.endSessionURL else { return }
        SignOutPage(context, url: url).open(account)
    }

    private func logout(_ account: String) throws(TokenctlError) -> Answer<LogoutResult> {
        var params = Logout.Parameters(account: account)
        if context[.keepGrant] { params.revoke = false }
        if context[.endSession] { params.endSession = true }
        return try context.askOpeningStore(Logout.self, params, account: account)
    }
}

/// What a `logout` result means, in sentences. Pure.
package struct Farewell: Sendable {
    private let result: LogoutResult
    private let keepsGrant: Bool

    /// `keepsGrant`: the provider was not to be told.
    package init(_ result: LogoutResult, keepsGrant: Bool = false) {
        self.result = result
        self.keepsGrant = keepsGrant
    }

    /// Nobody was signed in: the provider was to be told, and there was nothing to tell. Where it was not to be told,
    /// the result does not say.
    package var isNobodys: Bool {
        !keepsGrant && !result.revoked && result.revocationFault == nil && result.removalPending != true
    }

    /// What to say about the account.
    package func lines(_ account: String) -> [String] {
        let account = TerminalText.sanitized(account)
        var lines: [String] = []
        if isNobodys {
            lines.append("Nobody was signed in to \(account).")
        } else if result.revoked {
            lines.append("Signed out of \(account); the provider revoked the grant.")
        } else if isOutOfReach {
            lines.append("\(account) is signed out here; the secret store cannot be reached now.")
        } else {
            lines.append("Signed out of \(account) here.")
        }
        if let fault = result.revocationFault.map({ TerminalText.sanitized($0) }) {
            lines.append("The provider has not revoked the grant: \(fault)")
        }
        if let fault = result.endSessionFault.map({ TerminalText.sanitized($0) }) {
            lines.append("The provider's own session goes on: \(fault)")
        }
        if isOutOfReach {
            lines.append("What it may hold of \(account) goes as soon as it can be.")
        } else if result.removalPending == true {
            lines.append("The secret store is locked; its entry goes at the next unlock (tokenctl unlock).")
        }
        if let fault = result.removalFault.map({ TerminalText.sanitized($0) }) {
            lines.append("\(isOutOfReach ? "Open" : "Unlock") it now: \(fault)")
        }
        return lines
    }

    /// There is no store, or none that answers: whether it holds anything is unknown.
    private var isOutOfReach: Bool {
        result.removalPending == true && result.removalStore == StoreState.unavailable.rawValue
    }
}
