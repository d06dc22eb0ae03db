// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// `tokenctl login`: makes the account where that was asked for, then signs in.
struct LoginVerb {
    private let conversation: Conversation
    private var invocation: Invocation { conversation.invocation }

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        var options = try options()
        let account: String
        if AccountDraft.isDrafted(by: invocation) {
            account = try addAccount()
        } else {
            account = try conversation.account()
            if !invocation.scopes.isEmpty {
                options.scope = invocation.scopes.joined(separator: " ")
            }
            options.redirectURI = invocation.value("--redirect-uri")
        }
        let result = try SignIn(conversation, account: account, options: options).run()
        conversation.finish(result) {}
        return ExitCode.success
    }

    private func options() throws(TokenctlError) -> SignIn.Options {
        var options = SignIn.Options()
        options.opensBrowser = !invocation.has("--no-browser")
        if let text = invocation.value("--timeout") {
            options.timeout = try Seconds.required(text, for: "--timeout")
        }
        options.force = invocation.has("--force")
        options.loginHint = invocation.value("--login-hint")
        return options
    }

    /// Makes the account; one that is there already with the same issuer and client is taken as it is, so that the same
    /// command can be given again after a sign-in that failed.
    private func addAccount() throws(TokenctlError) -> String {
        let draft = try AccountDraft(invocation)
        do throws(TokenctlError) {
            try AccountAddition(conversation).add(draft, replacing: false)
        } catch {
            guard error.code == .accountExists else { throw error }
            let params = AccountShow.Parameters(account: draft.account)
            let shown = try conversation.ask(AccountShow.self, params, account: draft.account)
            guard let config = shown["config"]?.object, draft.matches(config) else { throw error }
        }
        return draft.account
    }
}
