// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl account import`: signs in with a refresh token that another program has left.
    package static let accountImport = Verb(
        "account import",
        operands: [.account],
        flags: .of(.refreshTokenFile, .scope.help("what the token covers; may be repeated")),
        summary: "sign in with a refresh token that you have",
        details: [
            "The account must exist (tokenctl account add). The token is tried with",
            "one refresh before it is kept; a provider that rotates tokens then takes",
            "the old one back, so the program it came from has to sign in anew.",
        ],
        examples: [
            "tokenctl account import work --refresh-token-file token.txt",
            "tokenctl account import work",
        ]
    ) { context throws(TokenctlError) in
        try AccountImportVerb(context: context).run()
    }
}

extension Flag<String> {
    static var refreshTokenFile: Flag {
        Flag("--refresh-token-file", .file, "where the refresh token is; without it, or with -, stdin")
    }
}

/// What `account import` does.
private struct AccountImportVerb {
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
            Welcome(result.result).lines(account, now: context.now).forEach(context.console.say)
        }
        return ExitCode.success
    }

    private func refreshToken() throws(TokenctlError) -> Secret {
        let input = SecretInput(context.console, "the refresh token")
        if let file = context[.refreshTokenFile], file != "-" {
            return try input.read(file)
        }
        guard context.console.traits.isInteractive else { return try input.read("-") }
        return try input.ask(watching: context.takeOverSignals())
    }
}
