// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The lines that `setup` wrote into tools' files for an account that is gone.
struct ToolLeftovers {
    private let context: CommandContext
    private let account: String
    private let tools: [any SetupTool]

    /// Looks at every tool's file; one that cannot be read has nothing to take out.
    init(of account: String, _ context: CommandContext) {
        self.context = context
        self.account = account
        tools = SetupTools.all.filter { $0.asks(for: account, context) }
    }

    /// Offers a user to take them out; tells a script how.
    func offer() throws(TokenctlError) {
        guard !tools.isEmpty, !context.invocation.wantsJSON else { return }
        let console = context.console
        let names = tools.map(\.name).joined(separator: ", ")
        let isOne = tools.count == 1
        console.say("Still set up to ask for it: \(names).")
        guard console.traits.isInteractive, let line = console.ask("Take \(isOne ? "its" : "their") lines out? [Y/n]"),
            !line.lowercased().hasPrefix("n")
        else { return console.sayNext(tools.map { "tokenctl setup \($0.name) \(ShellWord.quoted(account)) --undo" }) }
        for tool in tools { try tool.undo(context) }
    }
}
