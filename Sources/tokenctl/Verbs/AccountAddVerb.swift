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
            "With --provider only that is asked for which the provider's preset cannot know.",
            "With --providers-from, a list that a server publishes makes the accounts, or",
            "the one that is named; where there is none, nothing changes. Accounts that are",
            "there stay as they are without --replace, which keeps what cannot be said here,",
            "such as which programs may.",
            "A client with a secret or a key: --client-secret-file or --client-key-file. The",
            "secret goes to the secret store and never into the account's file. Without",
            "--client-authentication a secret is shown as the preset says, else by",
            "client_secret_basic, and a key by private_key_jwt; take what the provider says.",
        ],
        examples: [
            "tokenctl account add --list-providers",
            "tokenctl account add work --provider gitlab --client-id ID",
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
            context.console.say("The account \(draft.account) is there\(file). Sign in:")
            context.console.sayNext(["tokenctl login \(draft.account)"])
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
