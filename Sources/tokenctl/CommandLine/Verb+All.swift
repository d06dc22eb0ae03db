// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Verb {
    /// All verbs, in the order in which a person meets them.
    package static let all: [Verb] = [
        login, status, token, logout,
        accountAdd, accountList, accountShow, accountRemove,
        refresh, pause, resume, unlock, reload, version, help,
    ]

    /// The verb of that name.
    package static func named(_ name: Name) -> Verb? {
        all.first { $0.name == name }
    }

    /// Names of the contract that this version does not have yet; the answer says so instead of guessing a near one.
    package static let notBuilt: Set<String> = [
        "account import", "call", "callback", "completion", "credential", "doctor", "exec", "forward", "log", "policy",
        "setup",
    ]

    /// Flags of the contract that this version does not have yet.
    package static let flagsNotBuilt: Set<String> = [
        "--audience", "--client-key-file", "--device", "--end-session", "--list-providers", "--paste", "--provider",
        "--providers-from", "--resource",
    ]

    private static let accountFlags: [Flag] = [
        Flag("--issuer", value: "URL", "the provider's issuer, such as https://login.example.com"),
        Flag("--client-id", value: "ID", "the client id that the provider gave out for this program"),
        Flag("--scope", value: "SCOPE", repeats: true, "what to ask for; may be repeated"),
        Flag("--client-secret-file", value: "FILE", "the client secret, if there is one (- for stdin)"),
        Flag("--redirect-uri", value: "URI", "the redirect URI registered at the provider"),
    ]

    private static let login = Verb(
        .login,
        operand: .optional("ACCOUNT"),
        flags: accountFlags + [
            Flag("--no-browser", "only print the URL"),
            Flag("--timeout", value: "TIME", "how long to wait for you, such as 300 or 10m"),
            Flag("--force", "also accept another person than last time"),
            Flag("--login-hint", value: "NAME", "tell the provider who is about to sign in"),
        ],
        summary: "sign in with your browser",
        details: [
            "Prints the sign-in URL, opens your browser and waits until you are done.",
            "With --issuer and --client-id the account is made in the same step.",
            "Ctrl-C cancels the sign-in, here and in the daemon.",
        ],
        examples: [
            "tokenctl login work",
            "tokenctl login work --issuer https://login.example.com \\\n"
                + "      --client-id desktop --scope openid --scope email",
        ]
    )

    private static let status = Verb(
        .status,
        operand: .optional("ACCOUNT"),
        flags: [Flag("--watch", "keep showing it, live; Ctrl-C ends")],
        summary: "show who is signed in, and what is wrong",
        details: ["Ends with 0 only when every listed account is usable."],
        examples: ["tokenctl status", "tokenctl status work --json"]
    )

    private static let token = Verb(
        .token,
        operand: .optional("ACCOUNT"),
        flags: [
            Flag("--format", value: "FORM", "raw, json, header, env, xoauth2 or oauthbearer"),
            Flag("--min-valid", value: "TIME", "it must hold this much longer, such as 60 or 10m"),
            Flag("--scope", value: "SCOPE", repeats: true, "it must cover this scope; may be repeated"),
            Flag("--fresh", "refresh first, as after a 401 from the API"),
            Flag("--login", "sign in first where that is needed"),
        ],
        summary: "print an access token, and nothing else",
        details: ["Without ACCOUNT: the default account, or the only one."],
        examples: [
            "tokenctl token work",
            "tokenctl token work --format header | curl -H @- https://api.example.com/me",
        ]
    )

    private static let logout = Verb(
        .logout,
        operand: .optional("ACCOUNT"),
        flags: [
            Flag("--all", "sign every account out"),
            Flag("--keep-grant", "forget it here, but do not revoke it at the provider"),
        ],
        summary: "sign out here, and revoke the grant",
        examples: ["tokenctl logout work", "tokenctl logout --all"]
    )

    private static let accountAdd = Verb(
        .accountAdd,
        operand: .optional("ACCOUNT"),
        flags: accountFlags + [Flag("--replace", "overwrite an account of that name")],
        summary: "make an account; asks for what is missing",
        details: ["The client secret goes to the secret store, never to a file."],
        examples: [
            "tokenctl account add work --issuer https://login.example.com \\\n"
                + "      --client-id desktop --scope openid --scope email"
        ]
    )

    private static let accountList = Verb(
        .accountList,
        summary: "the accounts' names, one a line",
        examples: ["tokenctl account list"]
    )

    private static let accountShow = Verb(
        .accountShow,
        operand: .optional("ACCOUNT"),
        summary: "an account's settings",
        examples: ["tokenctl account show work"]
    )

    private static let accountRemove = Verb(
        .accountRemove,
        operand: .required("ACCOUNT"),
        flags: [Flag("--keep-grant", "do not revoke the grant at the provider")],
        summary: "sign out and delete the account's file",
        examples: ["tokenctl account remove work"]
    )

    private static let refresh = Verb(
        .refresh,
        operand: .optional("ACCOUNT"),
        summary: "fetch a fresh token now",
        examples: ["tokenctl refresh work"]
    )

    private static let pause = Verb(
        .pause,
        operand: .optional("ACCOUNT"),
        summary: "stop background refreshes, of one or all",
        examples: ["tokenctl pause work"]
    )

    private static let resume = Verb(
        .resume,
        operand: .optional("ACCOUNT"),
        summary: "take background refreshes up again",
        examples: ["tokenctl resume work"]
    )

    private static let unlock = Verb(
        .unlock,
        summary: "open the secret store; it asks you for its password",
        details: [
            "Where the store is a file, its passphrase is asked for here, unseen,",
            "or read from stdin where that is no terminal. The first one makes the file.",
        ],
        examples: ["tokenctl unlock"]
    )

    private static let reload = Verb(
        .reload,
        summary: "read the configuration anew and say its faults",
        examples: ["tokenctl reload"]
    )

    private static let version = Verb(
        .version,
        summary: "the versions of tokenctl and of the daemon",
        examples: ["tokenctl version"]
    )

    private static let help = Verb(
        .help,
        operand: .any("VERB"),
        summary: "how to use a verb",
        examples: ["tokenctl help login"]
    )
}
