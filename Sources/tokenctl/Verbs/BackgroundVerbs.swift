// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

// Background refreshes of accounts.
extension Verb {
    /// `tokenctl refresh`: a fresh token, now.
    package static let refresh = Verb(
        "refresh",
        operands: [.account],
        summary: "fetch a fresh token now",
        examples: ["tokenctl refresh work"]
    ) { context throws(TokenctlError) in
        let account = try context.account()
        let parameters = AccountRefresh.Parameters(account: account)
        let result = try context.ask(AccountRefresh.self, parameters, account: account, showsWait: true)
        context.finish(result) { context.console.say("Fetched a fresh token for \(TerminalText.sanitized(account)).") }
        return ExitCode.success
    }

    /// `tokenctl pause`: no background refreshes, of one account or of all.
    package static let pause = Verb(
        "pause",
        operands: [.account],
        summary: "pause background refreshes of one account or all",
        examples: ["tokenctl pause work"]
    ) { context throws(TokenctlError) in
        try context.setBackgroundWork(AccountPause.self) { "Background refreshes are paused for \($0)." }
    }

    /// `tokenctl resume`: takes them up again.
    package static let resume = Verb(
        "resume",
        operands: [.account],
        summary: "continue background refreshes",
        examples: ["tokenctl resume work"]
    ) { context throws(TokenctlError) in
        try context.setBackgroundWork(AccountResume.self) { "Background refreshes continue for \($0)." }
    }
}

extension CommandContext {
    /// Pauses or resumes, and says so.
    fileprivate func setBackgroundWork<Call: MethodCall>(
        _ call: Call.Type,
        _ sentence: (String) -> String
    ) throws(TokenctlError) -> Int32 where Call.Parameters == Status.Parameters {
        let account = invocation.account
        let result = try ask(call, Status.Parameters(account: account), account: account)
        finish(result) { console.say(sentence(account.map { TerminalText.sanitized($0) } ?? "all accounts")) }
        return ExitCode.success
    }
}
