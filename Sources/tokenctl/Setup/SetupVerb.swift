// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Verb {
    /// `tokenctl setup`: another tool's configuration, written and undone.
    package static let setup = Verb(
        "setup",
        operands: [.word("TOOL", of: SetupTools.names).checked, .account],
        flags: .of(.undo, .host, .smtpHost, .user, .role.help("aws: the role"), .accessToken),
        summary: "set up git, docker, kubectl, aws or mail",
        details: [
            "TOOL: \(SetupTools.names.joined(separator: ", ")).",
            "Adds a few lines between marks to the tool's own file, and says which;",
            "kubectl's is written by kubectl. Twice changes nothing more, and what is there",
            "already stays: where it is in the way, nothing is written.",
        ],
        examples: [
            "tokenctl setup git work --host git.example.com",
            "tokenctl setup msmtp work --host smtp.example.com",
            "tokenctl setup git work --undo",
        ]
    ) { context throws(TokenctlError) in
        let tool = try SetupTools.named(context.operands.first)
        try context[.undo] ? tool.undo(context) : tool.add(context)
        return ExitCode.success
    }
}

extension Flag<Bool> {
    static var undo: Flag { Flag("--undo", "take the lines out again; git: with --host, that server's alone") }
    static var accessToken: Flag { Flag("--access-token", "kubectl: give the access token, not the ID token") }
}

extension Flag<String> {
    static var host: Flag { Flag("--host", .text("HOST"), "the server: git's, the registry's or the mail's") }
    static var smtpHost: Flag { Flag("--smtp-host", .text("HOST"), "neomutt: the server for outgoing mail") }
    static var user: Flag { Flag("--user", .text("NAME"), "mail: the mailbox's name; the signed-in user's without it") }
}
