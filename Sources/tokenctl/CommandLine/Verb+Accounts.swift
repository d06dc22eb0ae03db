// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// The verbs that make accounts, sign in and sign out.
extension Verb {
    static let accountFlags: [Flag] = [
        Flag("--provider", value: "NAME", "a provider that tokend knows, such as google"),
        Flag("--set", value: "NAME=VALUE", repeats: true, "what that provider's preset asks; may be repeated"),
        Flag("--issuer", value: "URL", "the provider's issuer, such as https://login.example.com"),
        Flag("--client-id", value: "ID", "the client id that the provider gave out for this program"),
        Flag("--register", "have the provider register a client at the first sign-in"),
        Flag("--scope", value: "SCOPE", repeats: true, "what to ask for; may be repeated"),
        Flag("--redirect-uri", value: "URI", "the redirect URI registered at the provider"),
    ]

    /// How the client authenticates, where it is not a public one.
    static let clientFlags: [Flag] = [
        Flag("--client-authentication", value: "METHOD", "how the client shows itself to the provider"),
        Flag("--flow", value: "FLOW", "browser, device, or client_credentials where nobody signs in"),
        Flag("--client-secret-file", value: "FILE", "where the client secret is; - is stdin"),
        Flag("--client-key-file", value: "FILE", "where the client's private key is (PEM or JWK)"),
    ]

    static let login = Verb(
        .login,
        operand: .optional("ACCOUNT"),
        flags: accountFlags + [
            Flag("--device", "with a code that you enter on another device, such as your phone"),
            Flag("--no-browser", "only print the URL"),
            Flag("--paste", "you paste the address at the end; for a browser anywhere"),
            Flag("--timeout", value: "TIME", "how long to wait for you, such as 300 or 10m"),
            Flag("--force", "also accept another person than last time"),
            Flag("--login-hint", value: "NAME", "tell the provider who is about to sign in"),
            Flag("--acr-values", value: "VALUES", "how strong the sign-in must be, in the provider's words"),
            Flag("--max-age", value: "TIME", "how long ago you may have signed in, such as 0 or 5m"),
        ],
        summary: "sign in with your browser",
        details: [
            "Prints the sign-in URL, opens your browser and waits until you are done.",
            "With --device it shows a code and the page to enter it at, wherever you like.",
            "With --provider, or --issuer and --client-id, the account is made in the same",
            "step; one that is there and where nobody is signed in gets these settings",
            "instead. At a terminal, what a provider needs and is missing is asked for.",
            "A redirect URI with a scheme of an application's own (com.example.app:/path)",
            "has the desktop open that scheme with tokenctl callback, before the browser",
            "opens. Ctrl-C cancels the sign-in, here and in the daemon.",
        ],
        examples: [
            "tokenctl login work",
            "tokenctl login work --device",
            "tokenctl login work --paste",
            "tokenctl login mail --provider google --client-id ID",
            "tokenctl login work --issuer https://login.example.com \\\n"
                + "      --client-id desktop --scope openid --scope email",
        ]
    )

    static let logout = Verb(
        .logout,
        operand: .optional("ACCOUNT"),
        flags: [
            Flag("--all", "sign every account out"),
            Flag("--keep-grant", "forget it here, but do not revoke it at the provider"),
            Flag("--end-session", "also sign out at the provider, in your browser"),
            Flag("--no-browser", "with --end-session: only print the URL"),
        ],
        summary: "sign out here, and revoke the grant",
        examples: ["tokenctl logout work", "tokenctl logout work --end-session", "tokenctl logout --all"]
    )

    static let accountAdd = Verb(
        .accountAdd,
        operand: .optional("ACCOUNT"),
        flags: accountFlags + clientFlags + [
            Flag("--replace", "overwrite an account of that name"),
            Flag("--list-providers", "list the providers that tokend knows"),
            Flag("--providers-from", value: "URL", "make the accounts that a server suggests"),
        ],
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
    )

    static let accountSecret = Verb(
        .accountSecret,
        operand: .optional("ACCOUNT"),
        flags: [
            Flag("--kind", value: "KIND", "client_secret (the default), client_key or initial_access_token"),
            Flag("--file", value: "FILE", "where it is; without it, or with -, stdin"),
        ],
        summary: "give an account's client secret or key",
        details: [
            "It goes to the secret store, in place of the one that is there. At a terminal",
            "a secret is asked for and not shown; a key (PEM or JWK) comes from a file. It is",
            "sent only to the provider that the account names now.",
        ],
        examples: [
            "tokenctl account secret work",
            "tokenctl account secret work --kind client_key --file key.pem",
        ]
    )

    static let accountImport = Verb(
        .accountImport,
        operand: .optional("ACCOUNT"),
        flags: [
            Flag("--refresh-token-file", value: "FILE", "where the refresh token is; without it, or with -, stdin"),
            Flag("--scope", value: "SCOPE", repeats: true, "what the token covers; may be repeated"),
        ],
        summary: "sign in with a refresh token you have already",
        details: [
            "The account must be there (tokenctl account add). The token is tried with",
            "one refresh before it is kept; a provider that rotates tokens then takes",
            "the old one back, so the program it came from has to sign in anew.",
        ],
        examples: [
            "tokenctl account import work --refresh-token-file token.txt",
            "tokenctl account import work",
        ]
    )

    static let accountList = Verb(
        .accountList,
        summary: "the accounts' names, one a line",
        examples: ["tokenctl account list"]
    )

    static let accountShow = Verb(
        .accountShow,
        operand: .optional("ACCOUNT"),
        summary: "an account's settings",
        examples: ["tokenctl account show work"]
    )

    static let accountRemove = Verb(
        .accountRemove,
        operand: .required("ACCOUNT"),
        flags: [Flag("--keep-grant", "do not revoke the grant at the provider")],
        summary: "sign out and delete the account's file",
        examples: ["tokenctl account remove work"]
    )
}
