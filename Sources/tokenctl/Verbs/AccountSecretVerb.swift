// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl account secret`: hands the secret store what an account's client authenticates with; from stdin, a file or
    /// a hidden line, never an argument.
    package static let accountSecret = Verb(
        "account secret",
        operands: [.account],
        flags: .of(.kind, .file),
        summary: "give an account's client secret or key",
        details: [
            "It goes to the secret store, in place of the one before. At a terminal",
            "a secret is asked for and not shown; a key (PEM or JWK) comes from a file. It is",
            "sent only to the provider that the account names now.",
        ],
        examples: [
            "tokenctl account secret work",
            "tokenctl account secret work --kind client_key --file key.pem",
        ]
    ) { context throws(TokenctlError) in
        try AccountSecretVerb(context: context).run()
    }
}

extension Flag<String> {
    static var kind: Flag {
        Flag("--kind", .text("KIND"), "client_secret (the default), client_key or initial_access_token")
    }
    static var file: Flag { Flag("--file", .file, "where it is; without it, or with -, stdin") }
}

/// What `account secret` does.
private struct AccountSecretVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let invocation = context.invocation
        let kind = invocation[.kind] ?? AccountSecret.Parameters.clientSecret
        guard let input = ClientSecretInput(kind, context) else {
            let kinds = AccountSecret.Parameters.kinds
            let near = NearestName.of(kind, among: kinds).map { "; did you mean \($0)?" } ?? ""
            throw .usage(
                "--kind is one of: \(kinds.joined(separator: ", "))\(near)",
                next: ["tokenctl account secret --help"]
            )
        }
        // Before anybody pastes a secret, the account is clear, and there.
        let account = try context.account()
        _ = try context.ask(Status.self, Status.Parameters(account: account), account: account)
        let params = AccountSecret.Parameters(
            account: account,
            kind: kind,
            value: try input.read(invocation[.file])
        )
        let result = try context.askOpeningStore(AccountSecret.self, params, account: account)
        context.finish(result) {
            context.console.say(
                "The \(input.title) of \(TerminalText.sanitized(account)) is in the secret store."
            )
        }
        return ExitCode.success
    }
}

/// Takes in one secret of a client, in the form that its kind has.
struct ClientSecretInput {
    /// For people, such as `client secret`.
    let title: String
    private let isKey: Bool
    private let context: CommandContext

    /// nil for an unknown kind.
    init?(_ kind: String, _ context: CommandContext) {
        guard AccountSecret.Parameters.kinds.contains(kind) else { return nil }
        title = kind.replacing(text: "_", with: " ")
        isKey = kind == AccountSecret.Parameters.clientKey
        self.context = context
    }

    /// The secret in a file, `-` is stdin; without one it is asked for at a terminal, and read from stdin elsewhere.
    func read(_ file: String?) throws(TokenctlError) -> Secret {
        let input = SecretInput(context.console, "the \(title)")
        if let file { return isKey ? try input.readWhole(file) : try input.read(file) }
        guard context.console.traits.isInteractive else {
            return isKey ? try input.readWhole("-") : try input.read("-")
        }
        guard !isKey else { throw .usage("a key has several lines: name its file with --file") }
        return try input.ask(watching: context.takeOverSignals())
    }
}
