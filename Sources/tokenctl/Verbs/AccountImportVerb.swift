// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import TokendProtocol

/// `tokenctl account import`: signs in with a refresh token that another program has left.
struct AccountImportVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        // Before anybody pastes a secret, the account is clear, and there.
        let account = try context.account()
        _ = try context.ask(Status.self, Status.Parameters(account: account), account: account)
        var params = AccountImport.Parameters(account: account, refreshToken: try refreshToken())
        let scopes = context.invocation.scopes
        if !scopes.isEmpty { params.scope = scopes.joined(separator: " ") }
        let result = try context.askOpeningStore(AccountImport.self, params, account: account)
        context.finish(result) {
            Welcome(result).lines(account, now: context.now).forEach(context.console.say)
        }
        return ExitCode.success
    }

    private func refreshToken() throws(TokenctlError) -> Secret {
        let input = SecretInput(context.console, "the refresh token")
        if let file = context.invocation.value("--refresh-token-file"), file != "-" {
            return try input.read(file)
        }
        guard context.console.traits.isInteractive else { return try input.read("-") }
        return try input.ask(watching: context.takeOverSignals())
    }
}
