// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient
import TokendProtocol

/// `tokenctl credential aws`: a `credential_process` as AWS' tools run it, or a web identity's token file kept fresh.
struct AWSCredentialVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        if let file = context.invocation.value("--web-identity-file") {
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

    /// The form goes to curl on its stdin, where no other user sees it; no redirect is followed with it.
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
