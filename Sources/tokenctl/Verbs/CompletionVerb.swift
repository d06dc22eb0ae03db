// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// `tokenctl completion`: a script for a shell.
struct CompletionVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let name = context.invocation.operands[0]
        guard let shell = CompletionShell(rawValue: name) else {
            throw .usage(
                "there are no completions for “\(TerminalText.sanitized(name, limit: 60))”",
                next: CompletionShell.allCases.map { "tokenctl completion \($0.rawValue)" }
            )
        }
        context.console.print(shell.script)
        return ExitCode.success
    }
}
