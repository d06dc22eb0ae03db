// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient
import TokendProtocol

extension Verb {
    /// `tokenctl credential aws`: a `credential_process` for AWS tools, or a web identity's token file that is kept
    /// current.
    package static let credentialAWS = Verb(
        "credential aws",
        flags: .of(
            .account.help("whose ID token; else the default account's"),
            .role,
            .session,
            .region,
            .duration,
            .endpoint,
            .webIdentityFile
        ),
        hasResult: false,
        summary: "give AWS' tools the keys of a role",
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
    ) { context throws(TokenctlError) in
        try AWSCredentialVerb(context: context).run()
    }
}

extension Flag<String> {
    static var role: Flag { Flag("--role", .text("ARN"), "the role; AWS_ROLE_ARN without it") }
    static var session: Flag { Flag("--session", .text("NAME"), "the session's name in AWS' logs; tokend without it") }
    static var region: Flag { Flag("--region", .text("REGION"), "where its keys are asked for; AWS_REGION without it") }
    static var endpoint: Flag { Flag("--endpoint", .text("URL"), "a token service other than AWS' own") }
    static var webIdentityFile: Flag {
        Flag("--web-identity-file", .file, "keep an ID token in FILE instead, until Ctrl-C")
    }
}

extension Flag<Int64> {
    static var duration: Flag { Flag("--duration", time: "how long the keys are valid, such as 1h") }
}

/// Implements `credential aws`.
private struct AWSCredentialVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        if let file = context[.webIdentityFile] {
            try WebIdentityFile(context, path: file).keep()
            return ExitCode.success
        }
        let request = try RoleRequest(context.invocation, environment: context.world.environment)
        let curl = try context.program("curl")
        var params = TokenGet.Parameters(account: context.invocation.account)
        params.application = "aws"
        let (token, _) = try context.idToken(params)
        let answer = try send(request, token, curl)
        context.console.printJSON(.object(try answer.document()))
        return ExitCode.success
    }

    /// curl gets the form on stdin, where no other user sees it, and follows no redirect with it.
    private func send(_ request: RoleRequest, _ token: String, _ curl: String) throws(TokenctlError) -> RoleAnswer {
        let program = PipedProgram(
            arguments: SystemText.list([
                curl, "--disable", "--silent", "--show-error", "--globoff", "--max-time", "30", "--data-binary", "@-",
                "--header", "Accept: text/xml", "--dump-header", "/dev/fd/3", "--url", request.endpoint,
            ]),
            environment: context.world.variables
        )
        var head = ResponseHead()
        var body: [UInt8] = []
        let code = program.run(
            input: Array(request.body(idToken: token).utf8),
            until: Deadline(in: .seconds(40))
        ) { source, bytes in
            switch source {
            case .aside: head.append(bytes)
            case .output: body += bytes.prefix(max(0, 256 * 1024 - body.count))
            case .errors: context.console.relay(Array(bytes))
            }
        }
        guard code == 0, let status = head.status else {
            throw TokenctlError(
                .providerError,
                exitCode: ExitCode.temporary,
                "AWS’ token service cannot be reached at \(TerminalText.sanitized(request.endpoint))"
            )
        }
        return RoleAnswer(status: status, body: body)
    }
}
