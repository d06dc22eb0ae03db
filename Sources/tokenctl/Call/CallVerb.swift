// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import TokendProtocol

extension Verb {
    /// `tokenctl call`: one authorized request, made by the installed curl, which gets the header on stdin.
    package static let call = Verb(
        "call",
        operands: [
            .account.checked, .word("METHOD", of: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
            .text("URL").checked,
        ],
        tail: .arguments("CURL-FLAGS"),
        flags: .of(
            .scope,
            .narrow,
            .resource,
            .audience,
            .login.help("sign in again where the API demands a stronger sign-in")
        ),
        hasResult: false,
        summary: "one request with a token, made by curl",
        details: [
            "The token goes to curl on its stdin. After a 401 it is refreshed, and the",
            "request made once more. Where the API requires a stronger or more recent sign-in",
            "instead (RFC 9470), it says how, or with --login does that, once.",
            "Ends with curl's code: 22 where the API refuses.",
        ],
        examples: [
            "tokenctl call work https://api.example.com/me",
            "tokenctl call work POST https://api.example.com/n -- --json '{\"text\":\"hi\"}'",
        ]
    ) { context throws(TokenctlError) in
        try CallVerb(context: context).run()
    }
}

/// Implements `call`.
private struct CallVerb {
    let context: CommandContext
    private var console: Console { context.console }

    func run() throws(TokenctlError) -> Int32 {
        let target = try CallTarget(context.operands)
        let curl = try context.program("curl")
        let command = [SystemText(curl)] + arguments(target)
        var params = try context.tokenParameters(account: target.account)
        let token = try context.token(params)
        var (code, gate) = try request(command, token, mayRepeat: true)
        if gate.wantsRepetition {
            if let stepUp = gate.head.stepUp {
                // A refresh does not help: the API requires another sign-in.
                guard context[.login] else {
                    gate.open().forEach(pass)
                    explain(gate.head, account: target.account)
                    return code
                }
                try signIn(target.account, stepUp)
            } else {
                params.rejected = Secret(token.text)
            }
            (code, gate) = try request(command, context.token(params), mayRepeat: false)
        }
        explain(gate.head, account: target.account)
        return code
    }

    private func signIn(_ account: String, _ wanted: (acrValues: String?, maxAge: Int64?)) throws(TokenctlError) {
        var options = SignIn.Options()
        options.acrValues = wanted.acrValues
        options.maxAge = wanted.maxAge
        _ = try SignIn(context, account: account, options: options).run()
    }

    private func arguments(_ target: CallTarget) -> [SystemText] {
        let method: [String] =
            switch target.method {
            case nil: []
            case "HEAD": ["--head"]
            case let method?: ["--request", method]
            }
        let own = ["--silent", "--show-error", "--fail-with-body", "--globoff"] + method
        return SystemText.list(own + ["--header", "@-", "--dump-header", "/dev/fd/3"])
            + context.invocation.tail + SystemText.list(["--url", target.url])
    }

    private func request(
        _ command: [SystemText],
        _ token: ServedToken,
        mayRepeat: Bool
    ) throws(TokenctlError) -> (Int32, ResponseGate) {
        let header = TokenFormat.header.line(token: token.text, type: token.type, user: nil)
        var gate = ResponseGate(mayRepeat: mayRepeat)
        let program = PipedProgram(arguments: command, environment: context.world.variables)
        let code = program.run(input: Array((header + "\n").utf8)) { source, bytes in
            gate.take(source, bytes).forEach(pass)
        }
        guard let code else { throw TokenctlError(.input, exitCode: ExitCode.unavailable, "curl cannot be run") }
        gate.end().forEach(pass)
        return (code, gate)
    }

    private func pass(_ piece: ResponseGate.Piece) {
        if piece.source == .output { console.write(piece.bytes) } else { console.relay(piece.bytes) }
    }

    /// Explains the API's refusal and the next step.
    private func explain(_ head: ResponseHead, account: String) {
        let login = "tokenctl login " + TerminalText.sanitized(account)
        if let scope = head.missingScope {
            let scope = TerminalText.sanitized(scope)
            console.say(
                scope.isEmpty ? "The API wants a scope that the token lacks." : "The API wants the scope “\(scope)”."
            )
            console.sayNext([login + " --scope " + (scope.isEmpty ? "SCOPE" : ShellWord.inQuotes(scope))])
        } else if let stepUp = head.stepUp {
            console.say("The API wants a stronger or more recent sign-in.")
            let values = stepUp.acrValues.map { " --acr-values " + ShellWord.quoted(TerminalText.sanitized($0)) }
            let age = stepUp.maxAge.map { " --max-age \($0)" }
            console.sayNext([login + (values ?? "") + (age ?? "")])
        } else if head.status == 401 {
            console.say("The API refuses the token, and a fresh one too.")
            console.sayNext([login])
        }
    }
}
