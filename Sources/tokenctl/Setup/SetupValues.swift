// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

/// What a tool's lines are made of; all of it was looked at (`isPlain`).
package struct SetupValues: Sendable {
    /// The account's name.
    package var account: String
    /// How `tokenctl` is started.
    package var program: String
    /// The server; of git its origin.
    package var host = ""
    /// The server for outgoing mail.
    package var smtpHost: String?
    /// The mailbox's name.
    package var user = ""
    /// The SASL mechanisms that the provider's mail servers have, the best one first; empty where that is not known.
    package var mechanisms: [String] = []
    /// The scope that has a token be for this tool, at a provider whose tokens are each for one API.
    package var tokenScope: String?
    /// The role, as AWS names it.
    package var role = ""

    /// What to say once they are written.
    var advice: SetupAdvice?

    /// What every tool's lines have.
    package init(account: String, program: String) {
        self.account = account
        self.program = program
    }

    /// Whether a value may stand in any of these files: letters, digits and what names, hosts and addresses are made of.
    package static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("-")
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-_.@+:/=,".utf8.contains(byte)
            }
    }
}

/// What is known of an account when a tool is set up for it.
struct SetupAccount: Sendable {
    let status: AccountStatus
    /// What its provider's preset says of the tool.
    let tool: PresetDescription.Tool?
}

/// One thing that a tool's lines need: a flag says it, or the daemon knows it of the account.
struct SetupQuestion: Sendable {
    private let flag: Flag<String>
    private let example: String
    private let isOptional: Bool
    private let known: @Sendable (SetupAccount) -> String?
    private let put: @Sendable (inout SetupValues, String) throws(TokenctlError) -> Void

    /// - Parameters:
    ///   - known: from what the daemon has of the account and its provider.
    ///   - put: takes the answer in.
    init(
        _ flag: Flag<String>,
        such example: String,
        isOptional: Bool = false,
        known: @escaping @Sendable (SetupAccount) -> String? = { _ in nil },
        put: @escaping @Sendable (inout SetupValues, String) throws(TokenctlError) -> Void
    ) {
        self.flag = flag
        self.example = example
        self.isOptional = isOptional
        self.known = known
        self.put = put
    }

    /// - Parameter tool: the tool's name.
    func answer(
        _ values: inout SetupValues,
        _ account: SetupAccount,
        _ invocation: Invocation,
        for tool: String
    ) throws(TokenctlError) {
        guard let value = invocation[flag] ?? known(account) else {
            guard !isOptional else { return }
            throw .usage("\(tool) needs \(flag.name), such as \(flag.name) \(example)")
        }
        guard SetupValues.isPlain(value) else {
            let shown = TerminalText.sanitized(value, limit: 80)
            throw .usage("“\(shown)” cannot stand in that file; name it with \(flag.name), such as \(example)")
        }
        try put(&values, value)
    }
}

extension CommandContext {
    /// What that tool's lines are made of: the flags, and what the daemon knows of the account.
    func setupValues(_ questions: [SetupQuestion], for tool: some SetupTool) throws(TokenctlError) -> SetupValues {
        let account = try account()
        let status = try ask(Status.self, Status.Parameters(account: account), account: account)
        let known = status.accounts.first ?? AccountStatus()
        let needs = tool.kind == nil ? nil : toolNeeds(account, known)
        let preset = tool.kind.flatMap { needs?.tool($0) }
        var values = SetupValues(account: account, program: ownProgram)
        values.mechanisms = preset?.mechanisms.filter(SetupValues.isPlain) ?? []
        values.tokenScope = tool.kind.flatMap { needs?.tokenScope($0) }.flatMap { SetupValues.isPlain($0) ? $0 : nil }
        let place = SetupAccount(status: known, tool: preset)
        for question in questions { try question.answer(&values, place, invocation, for: tool.name) }
        values.advice = tool.kind.flatMap { needs?.advice($0) }
        return values
    }

    /// Says what the account still lacks for a tool that is set up.
    func tell(_ advice: SetupAdvice?) {
        guard let advice, !invocation.wantsJSON else { return }
        console.say(advice.sentence)
        console.sayNext(advice.steps)
    }

    /// How other programs start this one: by its path, since mail tools run where PATH is short; by its name where the path
    /// would need quotes.
    var ownProgram: String {
        let path = world.ownPath() ?? ""
        return path.hasPrefix("/") && SetupValues.isPlain(path) ? path : "tokenctl"
    }
}
