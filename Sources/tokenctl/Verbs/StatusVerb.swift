// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// `tokenctl status`: once, or live.
struct StatusVerb {
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        guard !conversation.invocation.has("--watch") else { return try StatusWatch(conversation).run() }
        let result = try StatusSettling(conversation).status()
        let report = Self.report(result, conversation)
        let traits = conversation.console.traits
        conversation.finish(result) {
            report.lines(width: traits.width, palette: traits.outputPalette).forEach(conversation.console.print)
        }
        return report.exitCode
    }

    static func parameters(_ conversation: Conversation) -> Status.Parameters {
        Status.Parameters(account: conversation.invocation.account)
    }

    static func report(_ result: JSONObject, _ conversation: Conversation) -> StatusReport {
        StatusReport(result, now: conversation.now, detailed: conversation.invocation.account != nil)
    }
}
