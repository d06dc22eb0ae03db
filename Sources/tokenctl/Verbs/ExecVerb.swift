// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TokendProtocol

extension Verb {
    /// `tokenctl exec`: becomes another program, with a token in its environment; the token is in no argument.
    package static let exec = Verb(
        "exec",
        operands: [.account],
        tail: .command("COMMAND"),
        flags: .of(.env, .scope, .narrow, .resource, .audience, .minValid),
        hasResult: false,
        summary: "run a program with a token in its environment",
        details: [
            "The token is not renewed while the program runs. A long one should ask again.",
            "Its exit code is that of the program.",
        ],
        examples: ["tokenctl exec work --env GITLAB_TOKEN -- glab issue list"]
    ) { context throws(TokenctlError) in
        try ExecVerb(context: context).run()
    }
}

extension Flag<String> {
    static var env: Flag { Flag("--env", .text("NAME"), "the variable's name; ACCESS_TOKEN without it") }
}

/// What `exec` does.
private struct ExecVerb {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }

    func run() throws(TokenctlError) -> Int32 {
        let name = try variable()
        let program = invocation.tail[0]
        let shown = TerminalText.sanitized(program.text)
        guard let path = context.world.pathOf(program) else {
            throw Self.failure("there is no program “\(shown)”", ExitCode.notFound)
        }
        let params = try context.tokenParameters(account: invocation.account)
        var variables = context.world.variables
        variables.set(name, to: try context.token(params).text)
        let failure = context.world.become([path] + invocation.tail.dropFirst(), program, variables)
        let reason = strerror(failure).map { String(cString: $0) } ?? "error \(failure)"
        throw Self.failure("cannot run “\(shown)”: \(reason)", ExitCode.notExecutable)
    }

    private func variable() throws(TokenctlError) -> String {
        let name = invocation[.env] ?? "ACCESS_TOKEN"
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName, name.first?.isNumber == false else {
            throw .usage("“\(TerminalText.sanitized(name))” is no name for a variable: letters, digits and _")
        }
        return name
    }

    private static func failure(_ message: String, _ code: Int32) -> TokenctlError {
        TokenctlError(.input, exitCode: code, message)
    }
}
