// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Verb {
    /// `tokenctl completion`: a script for a shell.
    package static let completion = Verb(
        "completion",
        operands: [.word("SHELL", of: CompletionShell.allCases.map(\.rawValue)).required],
        hasResult: false,
        summary: "completions for bash, zsh or fish",
        details: ["Prints a script for that shell; account names are asked of the daemon, live."],
        examples: [
            "tokenctl completion bash > ~/.local/share/bash-completion/completions/tokenctl",
            "tokenctl completion zsh > ~/.zfunc/_tokenctl",
            "tokenctl completion fish > ~/.config/fish/completions/tokenctl.fish",
        ]
    ) { context throws(TokenctlError) in
        let name = context.operands[0]
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

/// The shells with completions.
package enum CompletionShell: String, Sendable, CaseIterable {
    case bash, zsh, fish

    /// The script for that shell. Pure.
    package var script: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }
}
