// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// `tokenctl status`: once, or live.
struct StatusVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        guard !context.invocation.has("--watch") else { return try StatusWatch(context).run() }
        let result = try StatusSettling(context: context).status()
        let report = Self.report(result, context)
        let traits = context.console.traits
        context.finish(result) {
            report.lines(width: traits.width, palette: traits.outputPalette).forEach(context.console.print)
        }
        return report.exitCode
    }

    static func parameters(_ context: CommandContext) -> Status.Parameters {
        Status.Parameters(account: context.invocation.account)
    }

    static func report(_ result: JSONObject, _ context: CommandContext) -> StatusReport {
        StatusReport(result, now: context.now, detailed: context.invocation.account != nil)
    }
}
