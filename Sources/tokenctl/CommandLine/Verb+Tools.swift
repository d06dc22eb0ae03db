// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// The verbs that hand tokens to programs.
extension Verb {
    static let token = Verb(
        .token,
        operand: .optional("ACCOUNT"),
        flags: [
            Flag("--format", value: "FORM", "raw, json, header, env, xoauth2 or oauthbearer"),
            Flag("--min-valid", value: "TIME", "it must hold this much longer, such as 60 or 10m"),
            Flag("--scope", value: "SCOPE", repeats: true, "it must cover this scope; may be repeated"),
        ] + purposeFlags + [
            Flag("--fresh", "refresh first, as after a 401 from the API"),
            Flag("--login", "sign in first where that is needed"),
        ],
        summary: "print an access token, and nothing else",
        details: ["Without ACCOUNT: the default account, or the only one."],
        examples: [
            "tokenctl token work",
            "tokenctl token work --format header | curl -H @- https://api.example.com/me",
            "tokenctl token work --scope read --narrow --resource https://api.example.com",
        ]
    )

    /// What a token is for, where it is not the account's own.
    private static let purposeFlags = [
        Flag("--narrow", "it must cover the named scopes alone"),
        Flag("--resource", value: "URI", repeats: true, "what it is for; may be repeated"),
        Flag("--audience", value: "NAME", "the same, for providers that call it so"),
    ]

    static let exec = Verb(
        .exec,
        operand: .optional("ACCOUNT"),
        tail: .required("COMMAND"),
        flags: [
            Flag("--env", value: "NAME", "the variable's name; ACCESS_TOKEN without it"),
            Flag("--scope", value: "SCOPE", repeats: true, "the token must cover this scope; may be repeated"),
        ] + purposeFlags + [
            Flag("--min-valid", value: "TIME", "it must hold this much longer, such as 60 or 10m")
        ],
        summary: "run a program with a token in its environment",
        details: [
            "The token is the one of now: a program that runs for longer should ask anew.",
            "Ends with the program's own code.",
        ],
        examples: ["tokenctl exec work --env GITLAB_TOKEN -- glab issue list"]
    )

    static let call = Verb(
        .call,
        operand: .several("ACCOUNT [METHOD] URL", most: 3),
        tail: .optional("CURL-FLAGS"),
        flags: [
            Flag("--scope", value: "SCOPE", repeats: true, "the token must cover this scope; may be repeated")
        ] + purposeFlags + [
            Flag("--login", "sign in as the API wants it, where it wants more than a token")
        ],
        summary: "one request with a token, made by curl",
        details: [
            "The token goes to curl on its stdin. After a 401 it is refreshed, and the",
            "request made once more. Where the API wants a stronger or more recent sign-in",
            "instead (RFC 9470), it says how, or with --login does that, once.",
            "Ends with curl's code: 22 where the API refuses.",
        ],
        examples: [
            "tokenctl call work https://api.example.com/me",
            "tokenctl call work POST https://api.example.com/n -- --json '{\"text\":\"hi\"}'",
        ]
    )

    static let forward = Verb(
        .forward,
        operand: .required("HOST"),
        flags: [Flag("--socket", value: "NAME", "which of the further sockets; the only one without it")],
        summary: "carry a narrower socket to another machine",
        details: [
            "Programs there get tokens from here, by OpenSSH, for as long as this runs; no",
            "grant leaves this machine. The socket is one of `sockets` in config.json5, and",
            "shows what that says. What drops is taken up again.",
        ],
        examples: ["tokenctl forward build.example.com --socket build"]
    )

    private static let credentialFlags = [
        Flag("--account", value: "ACCOUNT", "whose token; else the account whose provider is that host")
    ]
    private static let nameFlag = Flag("--username", value: "NAME", "the name that goes with the token")

    static let credentialGit = Verb(
        .credentialGit,
        operand: .required("ACTION"),
        flags: credentialFlags + [nameFlag],
        summary: "hand git its password",
        details: [
            "ACTION: get, store or erase.",
            "git runs this itself, also under the name git-credential-tokend. Tokens go",
            "to the account's own provider alone; for any other host, name the account:",
            "  git config --global credential.https://git.example.com.helper \\",
            "    '!tokenctl credential git --account work'",
        ],
        examples: ["tokenctl credential git get"]
    )

    static let credentialDocker = Verb(
        .credentialDocker,
        operand: .required("ACTION"),
        flags: credentialFlags + [nameFlag],
        summary: "hand docker its password",
        details: [
            "ACTION: get, store, erase or list.",
            "docker and podman run this under the name docker-credential-tokend; in",
            "~/.docker/config.json: { \"credHelpers\": { \"registry.gitlab.com\": \"tokend\" } }",
            "A link to it named docker-credential-tokend-work is that of the account work.",
        ],
        examples: ["tokenctl credential docker get"]
    )

    static let credentialKubernetes = Verb(
        .credentialKubernetes,
        flags: [
            Flag("--account", value: "ACCOUNT", "whose token; else the default account's"),
            Flag("--id-token", "give the ID token, as clusters with OpenID Connect want it"),
        ],
        summary: "hand kubectl its token",
        details: [
            "Prints an ExecCredential (v1); tokenctl setup kubectl has kubectl run this."
        ],
        examples: ["tokenctl credential kubernetes --account work --id-token"]
    )
}
