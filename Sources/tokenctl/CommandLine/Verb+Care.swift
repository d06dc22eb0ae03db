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
        flags: [Flag("--trace", "also show what passes between the daemon and the provider")],
        summary: "look for what is wrong here, and say the mend",
        details: [
            "Looks at the daemon, its socket and units, the secret store, the network",
            "and the clock. Ends with 0 only when nothing is wrong.",
            "With --trace the provider's metadata and keys are fetched, and a token request",
            "is made and not sent; secrets are shown as “…”, and so is what might be one.",
        ],
        examples: ["tokenctl doctor", "tokenctl doctor work --json", "tokenctl doctor --trace work"]
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

    static let log = Verb(
        .log,
        operand: .optional("ACCOUNT"),
        flags: [
            Flag("--client", value: "TEXT", "only programs with this in their name"),
            Flag("--since", value: "TIME", "no older than this, such as 1h or 7d"),
        ],
        summary: "who had which token, and who was refused",
        details: [
            "Read from the journal; a program that asks often has one line a minute.",
            "Times are local (TZ); with --json they are unix seconds.",
        ],
        examples: ["tokenctl log work --since 1d", "tokenctl log --client mbsync --json"]
    )

    static let policyList = Verb(
        .policyList,
        summary: "the programs that were allowed for good",
        details: ["Those that were answered “Always”, where an account asks (`confirm`)."],
        examples: ["tokenctl policy list"]
    )

    static let policyRevoke = Verb(
        .policyRevoke,
        operand: .several("ACCOUNT CLIENT", most: 2),
        summary: "have a program asked about again",
        details: ["Takes back what was answered “Always”; tokenctl policy list shows these."],
        examples: ["tokenctl policy revoke work exe:/usr/bin/mbsync"]
    )

    static let policyAnswer = Verb(
        .policyAnswer,
        summary: "answer here what programs ask",
        details: [
            "Where an account asks its person (`confirm`) and no desktop shows notifications,",
            "the questions come here for as long as this runs.",
        ],
        examples: ["tokenctl policy answer"]
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
