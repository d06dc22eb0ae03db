// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl account add`: takes flags; at a terminal it asks for what they leave open.
    package static let accountAdd = Verb(
        "account add",
        operands: [.account],
        flags: .accountSettings(
            and: .clientAuthentication,
            .flow,
            .clientSecretFile,
            .clientKeyFile,
            .replace,
            .listProviders,
            .providersFrom
        ),
        summary: "make an account; asks for what is missing",
        details: [
            "At a terminal it asks: what the account is for, which provider, and what you",
            "registered there. --tool adds the scopes that a tool needs at that provider.",
            "With --providers-from it makes the accounts of a list that a server publishes,",
            "or the one of them that you name. An account that exists is not changed without",
            "--replace. That keeps the settings that have no flag here, such as which",
            "programs may use the account.",
            "For a client with a secret or a key, give --client-secret-file or",
            "--client-key-file. The secret goes to the secret store, never into the account's",
            "file. Without --client-authentication, a secret is sent as the preset says, or",
            "by client_secret_basic, and a key is used by private_key_jwt.",
        ],
        examples: [
            "tokenctl account add",
            "tokenctl account add --list-providers",
            "tokenctl account add gh --provider github --tool git --client-id ID",
            "tokenctl account add --providers-from https://app.example.com/providers.json",
            "tokenctl account add work --issuer https://login.example.com \\\n"
                + "      --client-id desktop --scope openid --scope email",
            "tokenctl account add web --issuer https://login.example.com \\\n"
                + "      --client-id web --client-secret-file secret.txt",
        ]
    ) { context throws(TokenctlError) in
        if context[.listProviders] { return try ProviderListVerb(context: context).run() }
        if let url = context[.providersFrom] {
            return try ProvidersFromVerb(context, url: url).run()
        }
        let draft = try AccountInquiry(context: context).draft()
        let addition = AccountAddition(context: context)
        let replacement = context[.replace] ? try addition.replacement(by: draft) : nil
        let result = try addition.add(draft, replacement)
        context.finish(result) {
            let file = result.file.isEmpty ? "" : " (\(TerminalText.sanitized(result.file)))"
            replacement?.lines.forEach { context.console.say($0) }
            context.console.say("The account \(draft.account) is made\(file). Sign in:")
            context.console.sayNext(["tokenctl login \(draft.account)"])
            guard draft.scopes.isEmpty, case .provider = draft.place, context.console.traits.errorIsTerminal else {
                return
            }
            let needs = context.toolNeeds(draft.account, AccountStatus())
            context.console.sayNext(needs?.furtherSteps ?? [])
        }
        return ExitCode.success
    }
}

extension Flag<Bool> {
    static var replace: Flag { Flag("--replace", "overwrite an account of that name") }
    static var listProviders: Flag { Flag("--list-providers", "list the providers that tokend knows") }
}

extension Flag<String> {
    static var providersFrom: Flag {
        Flag("--providers-from", .text("URL"), "make the accounts that a server suggests")
    }
}
