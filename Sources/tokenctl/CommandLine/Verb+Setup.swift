// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

// What ties other tools to accounts for good.
extension Verb {
    static let credentialAWS = Verb(
        .credentialAWS,
        flags: [
            Flag("--account", value: "ACCOUNT", "whose ID token; else the default account's"),
            Flag("--role", value: "ARN", "the role; AWS_ROLE_ARN without it"),
            Flag("--session", value: "NAME", "the session's name in AWS' logs; tokend without it"),
            Flag("--region", value: "REGION", "where its keys are asked for; AWS_REGION without it"),
            Flag("--duration", value: "TIME", "how long the keys hold, such as 1h"),
            Flag("--endpoint", value: "URL", "another token service than AWS' own"),
            Flag("--web-identity-file", value: "FILE", "keep an ID token in FILE instead, until Ctrl-C"),
        ],
        summary: "hand AWS' tools the keys of a role",
        details: [
            "A credential_process: an ID token is traded for the keys of a role",
            "(AssumeRoleWithWebIdentity, by curl). At AWS the provider must be registered,",
            "with the account's client ID as audience. In ~/.aws/config (or tokenctl setup):",
            "  [profile work]",
            "  credential_process = tokenctl credential aws --account work --role ARN",
            "With --web-identity-file AWS' tools do the trade themselves.",
        ],
        examples: [
            "tokenctl credential aws --role arn:aws:iam::123456789012:role/work",
            "tokenctl credential aws --web-identity-file ~/.aws/work.jwt",
        ]
    )

    static let setup = Verb(
        .setup,
        operand: .several("TOOL [ACCOUNT]", most: 2),
        flags: [
            Flag("--undo", "take it out again"),
            Flag("--host", value: "HOST", "the server: git's, the registry's or the mail's"),
            Flag("--smtp-host", value: "HOST", "neomutt: the server for outgoing mail"),
            Flag("--user", value: "NAME", "mail: the mailbox's name; whoever is signed in without it"),
            Flag("--role", value: "ARN", "aws: the role"),
            Flag("--access-token", "kubectl: give the access token, not the ID token"),
        ],
        summary: "have git, docker, kubectl, aws or mail ask here",
        details: [
            "TOOL: git, docker, kubectl, aws, msmtp, neomutt or mbsync. Adds a few lines",
            "between marks to the tool's own file, and says which; kubectl's is written by",
            "kubectl. Twice changes nothing more, and what is there already stays: where it",
            "is in the way, nothing is written.",
        ],
        examples: [
            "tokenctl setup git work --host git.example.com",
            "tokenctl setup msmtp work --host smtp.example.com",
            "tokenctl setup git work --undo",
        ]
    )
}
