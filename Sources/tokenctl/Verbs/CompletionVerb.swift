// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// `tokenctl completion`: a script for a shell.
struct CompletionVerb {
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        let name = conversation.invocation.operands[0]
        guard let shell = CompletionShell(rawValue: name) else {
            throw .usage(
                "there are no completions for “\(TerminalText.sanitized(name, limit: 60))”",
                next: CompletionShell.allCases.map { "tokenctl completion \($0.rawValue)" }
            )
        }
        conversation.console.print(shell.script)
        return ExitCode.success
    }
}
