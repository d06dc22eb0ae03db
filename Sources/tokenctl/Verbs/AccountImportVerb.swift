// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import TokendProtocol

/// `tokenctl account import`: signs in with a refresh token that another program has left.
struct AccountImportVerb {
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        // Before anybody pastes a secret, the account is clear, and there.
        let account = try conversation.account()
        _ = try conversation.ask(Status.self, Status.Parameters(account: account), account: account)
        var params = AccountImport.Parameters(account: account, refreshToken: try refreshToken())
        let scopes = conversation.invocation.scopes
        if !scopes.isEmpty { params.scope = scopes.joined(separator: " ") }
        let result = try conversation.askOpeningStore(AccountImport.self, params, account: account)
        conversation.finish(result) {
            Welcome(result).lines(account, now: conversation.now).forEach(conversation.console.say)
        }
        return ExitCode.success
    }

    private func refreshToken() throws(TokenctlError) -> Secret {
        let input = SecretInput(conversation.console, "the refresh token")
        if let file = conversation.invocation.value("--refresh-token-file"), file != "-" {
            return try input.read(file)
        }
        guard conversation.console.traits.isInteractive else { return try input.read("-") }
        return try input.ask(watching: conversation.takeOverSignals())
    }
}
