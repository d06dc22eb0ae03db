// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Reads the arguments after a verb one by one.
struct ArgumentScan {
    private let verb: Verb
    private var operands: [String] = []
    private var tail: [SystemText] = []
    private var values: [String: [String]] = [:]
    private var awaiting: FlagSyntax?
    private var lastListFlag: FlagSyntax?
    private var flagsEnded = false
    private(set) var wantsHelp = false

    init(verb: Verb) {
        self.verb = verb
    }

    mutating func take(_ word: SystemText) throws(TokenctlError) {
        if flagsEnded, verb.tail != .none {
            tail.append(word)
            return
        }
        guard let argument = word.exactText else {
            throw .usage("“\(TerminalText.sanitized(word.text, limit: 60))” is no UTF-8 text")
        }
        if let flag = awaiting {
            guard !argument.hasPrefix("--") else { throw valueMissing(flag) }
            awaiting = nil
            try record(flag, argument)
        } else if flagsEnded || !argument.hasPrefix("-") || argument == "-" {
            try takeOperand(argument)
        } else if argument == "--" {
            flagsEnded = true
        } else if argument == "-h" || argument == "--help" {
            wantsHelp = true
        } else {
            try takeFlag(argument)
        }
    }

    /// The end of the arguments; missing ones are reported here.
    func finish() throws(TokenctlError) -> Invocation {
        if let awaiting { throw valueMissing(awaiting) }
        if let missing = verb.operands.dropFirst(operands.count).first(where: { $0.presence == .required }) {
            throw .usage("\(verb.name) needs \(missing.placeholder.text)", next: Self.firstExample(verb))
        }
        if case .command(let what) = verb.tail, tail.isEmpty {
            throw .usage("\(verb.name) needs -- \(what)", next: Self.firstExample(verb))
        }
        return Invocation(verb: verb, operands: operands, tail: tail, values: values)
    }

    private mutating func takeOperand(_ argument: String) throws(TokenctlError) {
        if operands.count < verb.operands.count || verb.operands.last?.presence == .any {
            operands.append(argument)
            lastListFlag = nil
        } else if let flag = lastListFlag {
            // `--scope openid email` after the account's name: the list continues.
            try record(flag, argument)
        } else {
            let shown = TerminalText.sanitized(argument, limit: 60)
            if case .command(let what) = verb.tail {
                throw .usage("put -- before “\(shown)”: \(what) comes after it", next: Self.firstExample(verb))
            }
            throw .usage("\(verb.name) does not know what to do with “\(shown)”", next: help)
        }
    }

    private mutating func takeFlag(_ argument: String) throws(TokenctlError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let flag = verb.flag(named: name) else { throw unknownFlag(name) }
        lastListFlag = nil
        guard flag.value != nil else {
            guard parts.count == 1 else { throw .usage("\(name) takes no value", next: help) }
            values[name] = []
            return
        }
        if parts.count == 2 {
            try record(flag, String(parts[1]))
        } else {
            awaiting = flag
        }
    }

    private mutating func record(_ flag: FlagSyntax, _ value: String) throws(TokenctlError) {
        guard !value.isEmpty else { throw valueMissing(flag) }
        guard flag.repeats || values[flag.name] == nil else {
            throw .usage("\(flag.name) was given twice", next: help)
        }
        values[flag.name, default: []].append(value)
        lastListFlag = flag.repeats ? flag : nil
    }

    private func valueMissing(_ flag: FlagSyntax) -> TokenctlError {
        .usage("\(flag.name) needs a value: \(flag.name) \(flag.value?.text ?? "")", next: help)
    }

    private func unknownFlag(_ name: String) -> TokenctlError {
        let shown = TerminalText.sanitized(name, limit: 60)
        guard let near = NearestName.of(name, among: verb.allFlags.map(\.name)) else {
            return .usage("\(verb.name) has no \(shown)", next: help)
        }
        return .usage("\(verb.name) has no \(shown); did you mean \(near)?", next: help)
    }

    private var help: [String] { ["tokenctl \(verb.name) --help"] }

    private static func firstExample(_ verb: Verb) -> [String] {
        verb.examples.first.map { [$0] } ?? []
    }
}
