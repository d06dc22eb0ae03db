// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// The verbs that look after the daemon and its accounts.
extension Verb {
    static let status = Verb(
        .status,
        operand: .optional("ACCOUNT"),
        flags: [Flag("--watch", "keep showing it, live; Ctrl-C ends")],
        summary: "show who is signed in, and what is wrong",
        details: ["Ends with 0 only when every listed account is usable."],
        examples: ["tokenctl status", "tokenctl status work --json"]
    )

    static let doctor = Verb(
        .doctor,
        operand: .optional("ACCOUNT"),
        summary: "look for what is wrong here, and say the mend",
        details: [
            "Looks at the daemon, its socket and units, the secret store, the network",
            "and the clock. Ends with 0 only when nothing is wrong.",
        ],
        examples: ["tokenctl doctor", "tokenctl doctor work --json"]
    )

    static let refresh = Verb(
        .refresh,
        operand: .optional("ACCOUNT"),
        summary: "fetch a fresh token now",
        examples: ["tokenctl refresh work"]
    )

    static let pause = Verb(
        .pause,
        operand: .optional("ACCOUNT"),
        summary: "stop background refreshes, of one or all",
        examples: ["tokenctl pause work"]
    )

    static let resume = Verb(
        .resume,
        operand: .optional("ACCOUNT"),
        summary: "take background refreshes up again",
        examples: ["tokenctl resume work"]
    )

    static let unlock = Verb(
        .unlock,
        summary: "open the secret store; you are asked",
        details: [
            "Where the store is a file, its passphrase is asked for here, unseen,",
            "or read from stdin where that is no terminal. The first one makes the file.",
        ],
        examples: ["tokenctl unlock"]
    )

    static let reload = Verb(
        .reload,
        summary: "read the configuration anew and say its faults",
        examples: ["tokenctl reload"]
    )

    static let callback = Verb(
        .callback,
        operand: .optional("URL"),
        flags: [
            Flag("--install", value: "SCHEME", "have the desktop open com.example.app: with this verb"),
            Flag("--remove", value: "SCHEME", "undo that"),
            Flag("--status", "which schemes are opened with it"),
        ],
        summary: "hand in the address that a sign-in ended on",
        details: [
            "The desktop runs this where a redirect URI has a scheme of an application's",
            "own. With - the address is read from stdin. The sign-in is found by itself,",
            "and ends as tokenctl login does.",
        ],
        examples: [
            "tokenctl callback --install com.example.app",
            "tokenctl callback -",
        ]
    )

    static let completion = Verb(
        .completion,
        operand: .required("SHELL"),
        summary: "completions for bash, zsh or fish",
        details: ["Prints a script for that shell; account names are asked of the daemon, live."],
        examples: [
            "tokenctl completion bash > ~/.local/share/bash-completion/completions/tokenctl",
            "tokenctl completion zsh > ~/.zfunc/_tokenctl",
            "tokenctl completion fish > ~/.config/fish/completions/tokenctl.fish",
        ]
    )

    static let version = Verb(
        .version,
        summary: "the versions of tokenctl and of the daemon",
        examples: ["tokenctl version"]
    )

    static let help = Verb(
        .help,
        operand: .any("VERB"),
        summary: "how to use a verb",
        examples: ["tokenctl help login"]
    )
}
