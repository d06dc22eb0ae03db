// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// `tokenctl login`: makes the account where that was asked for, then signs in.
struct LoginVerb {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }

    func run() throws(TokenctlError) -> Int32 {
        var options = try options()
        let account: String
        var isNew = false
        if AccountDraft.isDrafted(by: invocation) {
            let draft = try AccountInquiry(context: context).loginDraft()
            isNew = try AccountAddition(context: context).addOrReplace(draft)
            account = draft.account
        } else {
            account = try context.account()
            if !invocation.scopes.isEmpty {
                options.scope = invocation.scopes.joined(separator: " ")
            }
            options.redirectURI = invocation.value("--redirect-uri")
        }
        do throws(TokenctlError) {
            let result = try SignIn(context, account: account, options: options).run()
            context.finish(result) {}
            return ExitCode.success
        } catch {
            throw isNew ? Self.leaving(account, error) : error
        }
    }

    /// A sign-in that failed right after its account was made: what stays is said, and how it goes.
    private static func leaving(_ account: String, _ failure: TokenctlError) -> TokenctlError {
        var error = failure
        error.aftermath = "The account \(account) was made all the same, and stays."
        let login = "tokenctl login \(account)"
        if !error.next.contains(where: { $0.hasPrefix(login) }) { error.next.append(login) }
        error.next.append("tokenctl account remove \(account)")
        return error
    }

    private func options() throws(TokenctlError) -> SignIn.Options {
        var options = SignIn.Options()
        options.pastes = invocation.has("--paste")
        if invocation.has("--device") {
            guard !options.pastes else { throw .usage("a code leaves no address to paste: take --device or --paste") }
            options.flow = .device
        } else if options.pastes {
            // Also where the account signs in with a code otherwise.
            options.flow = .browser
        }
        options.opensBrowser = !invocation.has("--no-browser")
        if let text = invocation.value("--timeout") {
            let seconds = try Seconds.required(text, for: "--timeout")
            guard seconds > 0 else { throw .usage("--timeout 0 leaves no time to sign in") }
            options.timeout = seconds
        }
        options.force = invocation.has("--force")
        options.loginHint = invocation.value("--login-hint")
        options.acrValues = invocation.value("--acr-values")
        if let text = invocation.value("--max-age") {
            options.maxAge = try Seconds.required(text, for: "--max-age")
        }
        return options
    }
}
