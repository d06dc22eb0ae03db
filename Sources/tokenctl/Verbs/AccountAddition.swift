// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import TokendProtocol

/// Sends an account's draft to the daemon, and tells its refusal in terms of what was typed.
struct AccountAddition {
    let context: CommandContext

    /// The draft in the place of what the account's file says now.
    func replacement(by draft: AccountDraft) throws(TokenctlError) -> AccountReplacement {
        let old = try context.config(of: draft.account)
        return AccountReplacement(of: old, by: draft.config, saying: AccountDraft.members)
    }

    /// The daemon's answer. `replacement`: what takes an account's place that may be there.
    @discardableResult
    func add(_ draft: AccountDraft, _ replacement: AccountReplacement? = nil)
        throws(TokenctlError) -> Answer<AccountAdd.Result>
    {
        var params = AccountAdd.Parameters(account: draft.account, config: replacement?.config ?? draft.config)
        if replacement != nil { params.replace = true }
        params.clientSecret = draft.clientSecret
        let invocation = context.invocation
        if let file = invocation[.clientSecretFile] {
            params.clientSecret = try ClientSecretInput(AccountSecret.Parameters.clientSecret, context)?.read(file)
        }
        // A key that cannot be read keeps the account from being made, too.
        let key = try invocation[.clientKeyFile].flatMap { file throws(TokenctlError) in
            try ClientSecretInput(AccountSecret.Parameters.clientKey, context)?.read(file)
        }
        do throws(TokenctlError) {
            let result = try context.askOpeningStore(AccountAdd.self, params, account: draft.account)
            if let key { try give(key, to: draft.account) }
            return result
        } catch {
            throw Self.explained(error, draft)
        }
    }

    private func give(_ key: Secret, to account: String) throws(TokenctlError) {
        let secret = AccountSecret.Parameters(account: account, kind: AccountSecret.Parameters.clientKey, value: key)
        do throws(TokenctlError) {
            _ = try context.askOpeningStore(AccountSecret.self, secret, account: account)
        } catch {
            var error = error
            error.aftermath = "The account \(account) is made, and lacks its key."
            error.next.append("tokenctl account secret \(account) --kind client_key --file FILE")
            throw error
        }
    }

    /// The account's draft replaces the existing settings while nobody is signed in with them; who is
    /// signed in has to ask for that, and who would lose what a draft cannot say. Settings that are these already stay as
    /// they are.
    ///
    /// - Returns: whether there was no account of that name before.
    func addOrReplace(_ draft: AccountDraft) throws(TokenctlError) -> Bool {
        do throws(TokenctlError) {
            try add(draft)
            return true
        } catch {
            guard error.code == .accountExists else { throw error }
            let config = try context.config(of: draft.account)
            if let config, draft.matches(config) { return false }
            guard try isSignedOut(draft.account) else { throw Self.inUse(error, draft) }
            let replacement = AccountReplacement(of: config, by: draft.config, saying: AccountDraft.members)
            try Self.checkNothingIsLost(replacement, error, draft)
            try add(draft, replacement)
            context.console.say(
                "The settings of \(draft.account) are replaced; you were not signed in with the old ones."
            )
            replacement.lines.forEach { context.console.say($0) }
            return false
        }
    }

    private func isSignedOut(_ account: String) throws(TokenctlError) -> Bool {
        let status = try context.ask(Status.self, Status.Parameters(account: account), account: account)
        let state = status.accounts.first?.state
        return state == .signedOut || state == .loginRequired
    }

    private static func checkNothingIsLost(
        _ replacement: AccountReplacement,
        _ refusal: TokenctlError,
        _ draft: AccountDraft
    ) throws(TokenctlError) {
        guard !replacement.dropped.isEmpty else { return }
        let lost = replacement.dropped.map { TerminalText.sanitized($0) }.joined(separator: ", ")
        var error = refusal
        error.message =
            "the account \(draft.account) has settings that would be lost (\(lost)); "
            + "edit its file, or replace them all the same:"
        throw error
    }

    private static func inUse(_ refusal: TokenctlError, _ draft: AccountDraft) -> TokenctlError {
        var error = refusal
        error.message = "the account \(draft.account) is in use with other settings; to replace them all the same:"
        return error
    }

    private static func explained(_ refusal: TokenctlError, _ draft: AccountDraft) -> TokenctlError {
        var error = refusal
        switch error.code {
        case .accountExists: error.next = [draft.replacement]
        case .configInvalid:
            // Nothing was written: there is no line to fix, only a flag.
            error.message = ConfigFault(ConfigurationFault(tolerating: error.data)).withoutPlace(error.message)
            error.next = []
        default: break
        }
        return error
    }
}
