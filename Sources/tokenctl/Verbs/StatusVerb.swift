// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl status`: once, or live.
    package static let status = Verb(
        "status",
        operands: [.account],
        flags: .of(.watch),
        summary: "show who is signed in, and what is wrong",
        details: ["The exit code is 0 only when every listed account is usable."],
        examples: ["tokenctl status", "tokenctl status work --json"]
    ) { context throws(TokenctlError) in
        guard !context[.watch] else { return try StatusWatch(context).run() }
        let result = try StatusSettling(context: context).status()
        let report = context.statusReport(result.result)
        let traits = context.console.traits
        context.finish(result) {
            // The command line above and the prompt below are to be seen too.
            let lines = report.lines(
                width: traits.width,
                palette: traits.outputPalette,
                tableWidth: traits.outputIsTerminal ? traits.columns : nil,
                height: traits.screenHeight.map { $0 - 2 }
            )
            lines.forEach(context.console.print)
        }
        return report.exitCode
    }
}

extension Flag<Bool> {
    static var watch: Flag { Flag("--watch", "keep showing it, live; Ctrl-C ends") }
}

extension CommandContext {
    /// The accounts that `status` is about.
    var statusParameters: Status.Parameters { Status.Parameters(account: invocation.account) }

    /// What a result of it means.
    func statusReport(_ result: Status.Result) -> StatusReport {
        StatusReport(result, now: now, detailed: invocation.account != nil)
    }
}
