// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// One desktop notification, by `notify-send`: a browser that opens a private-use scheme shows the user nothing, and a
/// handler's stderr is not visible.
struct DesktopWord {
    private let program: String
    private let environment: ProgramVariables

    /// nil if a user reads the terminal, if a program reads JSON, or if there is no notification service.
    init?(_ context: CommandContext) {
        guard !context.console.traits.errorIsTerminal, !context.invocation.wantsJSON,
            let program = context.world.findProgram("notify-send")
        else { return nil }
        self.program = program
        environment = context.world.variables
    }

    /// Shows it without waiting; `text` may be untrusted, and contains no secret.
    func show(_ title: String, _ text: String) {
        let body = TerminalText.sanitized(text, limit: 400)
        let words = ["--app-name=tokend", "--icon=dialog-password", "--", title, escapeHTML(body)]
        let arguments = SystemText.list([program] + words)
        _ = ProgramStart(arguments: arguments, environment: environment, isDetached: true)()
    }
}
