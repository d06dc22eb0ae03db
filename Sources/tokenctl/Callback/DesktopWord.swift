// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// One notification of the desktop's, by `notify-send`: a browser that brings a private-use scheme's answer shows the
/// user nothing, and a handler's stderr is not read.
struct DesktopWord {
    private let program: String
    private let environment: ProgramVariables

    /// nil where somebody reads the terminal, where a program reads JSON, or where nothing shows notifications.
    init?(_ context: CommandContext) {
        guard !context.console.traits.errorIsTerminal, !context.invocation.wantsJSON,
            let program = context.world.findProgram("notify-send")
        else { return nil }
        self.program = program
        environment = context.world.variables
    }

    /// Shows it, and does not wait; `text` may be of the outside, and holds no secret.
    func show(_ title: String, _ text: String) {
        let body = TerminalText.sanitized(text, limit: 400)
        let words = ["--app-name=tokend", "--icon=dialog-password", "--", title, escapeHTML(body)]
        let arguments = SystemText.list([program] + words)
        _ = ProgramStart(arguments: arguments, environment: environment, isDetached: true)()
    }
}
