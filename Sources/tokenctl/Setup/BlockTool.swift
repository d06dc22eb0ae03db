// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A tool whose file gets a block of lines between marks, one for each account.
package struct BlockTool: SetupTool {
    /// What a tool's file is to say so that it asks `tokenctl` about one account.
    package struct Recipe: Sendable {
        /// The block's lines.
        package let lines: [String]
        /// A line that the file must not have elsewhere: it would mean the same thing twice.
        var head: String?
    }

    let name: String
    /// Its file, as the program itself looks for it.
    let file: @Sendable (SetupPlaces) -> String
    /// What its lines need, besides the account.
    let asks: [SetupQuestion]
    /// What its lines are.
    package let recipe: @Sendable (SetupValues) -> Recipe
    /// What to say once they are written, and the commands that go with it.
    var after: (sentence: String, steps: [String])?

    func add(_ context: CommandContext) throws(TokenctlError) {
        let file = try SetupFile(file, context)
        let text = file.text ?? ""
        let values = try context.setupValues(asks, for: name)
        let recipe = recipe(values)
        let block = MarkedBlock(account: values.account)
        let rest = try block.removed(from: text) ?? text
        if let head = recipe.head, rest.split(separator: "\n").contains(where: { Self.words($0) == Self.words(head) }) {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.configuration,
                "\(TerminalText.sanitized(file.path)) has “\(head)” already, so nothing was changed",
                next: ["take that out, or change it yourself: tokenctl setup --help"]
            )
        }
        let hasOurs = !MarkedBlock.accounts(in: text).isEmpty
        let isChanged = try file.change(to: try block.put(recipe.lines, into: text), hasOurs: hasOurs)
        file.report(recipe.lines, isChanged: isChanged, context)
        if let after, isChanged {
            context.console.say(after.sentence)
            context.console.sayNext(after.steps)
        }
    }

    func undo(_ context: CommandContext) throws(TokenctlError) {
        let file = try SetupFile(file, context)
        var text = file.text ?? ""
        for account in context.invocation.account.map({ [$0] }) ?? MarkedBlock.accounts(in: text) {
            text = try MarkedBlock(account: account).removed(from: text) ?? text
        }
        let others = MarkedBlock.accounts(in: text)
        let isChanged = try file.restore(to: text, hasOurs: !others.isEmpty, isSame: MarkedBlock.areSame)
        file.reportUndone(isChanged: isChanged, others: others, context)
    }

    private static func words(_ line: some StringProtocol) -> [Substring] {
        String(line).split(whereSeparator: \.isWhitespace).map { Substring($0) }
    }
}
