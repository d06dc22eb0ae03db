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
    let kind: ToolKind?
    /// Its file, as the program itself looks for it.
    let file: @Sendable (SetupPlaces) -> String
    /// What its lines need, besides the account.
    let asks: [SetupQuestion]
    /// What its lines are.
    package let recipe: @Sendable (SetupValues) -> Recipe
    /// The head of a server's part of the block, from what a user types for it, where a block has several of them.
    var part: (@Sendable (String) throws(TokenctlError) -> String)?
    /// What to say once they are written, and the commands that go with it.
    var after: SetupAdvice?

    func add(_ context: CommandContext) throws(TokenctlError) {
        let file = try SetupFile(file, context)
        let text = file.text ?? ""
        let values = try context.setupValues(asks, for: self)
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
        var parts = BlockParts(part == nil ? [] : try block.content(of: text) ?? [])
        parts.put(recipe.lines)
        let isChanged = try file.change(to: try block.put(parts.lines, into: text), hasOurs: hasOurs)
        file.report(recipe.lines, isChanged: isChanged, context)
        if isChanged { context.tell(after) }
        context.tell(values.advice)
    }

    func asks(for account: String, _ context: CommandContext) -> Bool {
        guard let text = (try? SetupFile(file, context))?.text else { return false }
        return MarkedBlock.accounts(in: text).contains(account)
    }

    func undo(_ context: CommandContext) throws(TokenctlError) {
        let file = try SetupFile(file, context)
        var text = file.text ?? ""
        let host = part == nil ? nil : context[.host]
        for account in context.invocation.account.map({ [$0] }) ?? MarkedBlock.accounts(in: text) {
            let block = MarkedBlock(account: account)
            guard let host, let part, var parts = try block.content(of: text).map({ BlockParts($0) }) else {
                text = try block.removed(from: text) ?? text
                continue
            }
            parts.remove(try part(host))
            text = try parts.lines.isEmpty ? block.removed(from: text) ?? text : block.put(parts.lines, into: text)
        }
        let others = MarkedBlock.accounts(in: text)
        let isChanged = try file.restore(to: text, hasOurs: !others.isEmpty, isSame: MarkedBlock.areSame)
        file.reportUndone(isChanged: isChanged, others: others, context)
    }

    private static func words(_ line: some StringProtocol) -> [Substring] {
        String(line).split(whereSeparator: \.isWhitespace).map { Substring($0) }
    }
}

/// The parts of a block, each below a line such as `[credential "https://git.example.com"]`.
private struct BlockParts {
    private var all: [[String]] = []

    init(_ lines: [String]) {
        for line in lines {
            if line.hasPrefix("[") || all.isEmpty { all.append([]) }
            all[all.count - 1].append(line)
        }
    }

    var lines: [String] { all.flatMap(\.self) }

    /// Puts a part in the place of the one with its head, else behind the others.
    mutating func put(_ part: [String]) {
        if let index = all.firstIndex(where: { $0.first == part.first }) { all[index] = part } else { all.append(part) }
    }

    mutating func remove(_ head: String) { all.removeAll { $0.first == head } }
}
