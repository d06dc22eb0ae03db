// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Parses `tokenctl`'s arguments; pure, so that its tests are tables.
package enum CommandLineParser {
    /// The result of parsing.
    package enum Outcome: Sendable, Equatable {
        case run(Invocation)
        /// Print the help of these verbs; empty: the overview.
        case help([Verb])
        /// No arguments: the overview, as a usage error.
        case nothing
    }

    /// Parses the arguments (without the program's name), or reports what is wrong with them and what would be right.
    package static func parse(_ words: [SystemText]) throws(TokenctlError) -> Outcome {
        let arguments = words.map(\.text)
        guard let first = arguments.first else { return .nothing }
        switch first {
        case "-h", "--help": return .help([])
        case "--version", "-V": return .run(Invocation(verb: .version))
        case "help": return .help(try helpTopics(Array(arguments.dropFirst())))
        default: break
        }
        guard !first.hasPrefix("-") else {
            throw flagFirst(arguments)
        }
        if Verb.groups.contains(first), wantsGroupHelp(arguments) { return .help(group(first)) }
        let (verb, rest) = try verb(in: arguments)
        var scan = ArgumentScan(verb: verb)
        for word in words.suffix(rest.count) { try scan.take(word) }
        if scan.wantsHelp { return .help([verb]) }
        return .run(try scan.finish())
    }

    /// Whether JSON is requested, if the verb has it; also if parsing fails.
    package static func wantsJSON(_ arguments: [String]) -> Bool {
        // The words after `--` are another program's.
        let own = arguments.prefix { $0 != "--" }
        let flag = Flag<Bool>.json.syntax.name
        guard own.contains(flag) else { return false }
        let verb = own.isEmpty ? nil : try? verb(in: Array(own)).verb
        return verb.map { $0.flag(named: flag) != nil } ?? true
    }

    /// The arguments for the name that the program was started by, since tools look for their helpers by name.
    /// `docker-credential-tokend-work` is the account `work`, since docker gives its helpers no arguments.
    package static func arguments(_ arguments: [SystemText], startedAs path: String) -> [SystemText] {
        let name = path.split(separator: "/").last ?? ""
        for tool in ["git", "docker"] {
            let helper = "\(tool)-credential-tokend"
            if name == helper { return SystemText.list(["credential", tool]) + arguments }
            guard name.hasPrefix(helper + "-") else { continue }
            let account = String(name.dropFirst(helper.count + 1))
            return SystemText.list(["credential", tool, Flag.account.name, account]) + arguments
        }
        return arguments
    }

    private static func group(_ word: String) -> [Verb] {
        Verb.all.filter { $0.name.hasPrefix(word + " ") }
    }

    private static func wantsGroupHelp(_ arguments: [String]) -> Bool {
        arguments.count == 1 || ["-h", "--help", "help"].contains(arguments[1])
    }

    private static func helpTopics(_ words: [String]) throws(TokenctlError) -> [Verb] {
        let words = words.filter { $0 != "-h" && $0 != "--help" }
        guard !words.isEmpty else { return [] }
        if words.count == 1, Verb.groups.contains(words[0]) { return group(words[0]) }
        return [try verb(in: words).verb]
    }

    private static func verb(in arguments: [String]) throws(TokenctlError) -> (verb: Verb, rest: [String]) {
        var words = [arguments[0]]
        if Verb.groups.contains(words[0]), arguments.count > 1 { words.append(arguments[1]) }
        let typed = words.joined(separator: " ")
        if let verb = Verb.named(typed) {
            return (verb, Array(arguments.dropFirst(words.count)))
        }
        throw unknownVerb(typed)
    }

    /// A flag in place of the verb: the command line in the right order, if it is clear.
    private static func flagFirst(_ arguments: [String]) -> TokenctlError {
        let flags = arguments.prefix { $0.hasPrefix("-") }
        let rest = arguments.dropFirst(flags.count)
        let isClear = !rest.isEmpty && (try? verb(in: Array(rest))) != nil
        let words = (rest + flags).map { ShellWord.quoted(TerminalText.sanitized($0, limit: 200)) }
        let sentence = "\(TerminalText.sanitized(arguments[0], limit: 60)) stands before the verb"
        return .usage(
            sentence,
            next: isClear ? ["tokenctl " + words.joined(separator: " ")] : ["tokenctl --help"]
        )
    }

    private static func unknownVerb(_ typed: String) -> TokenctlError {
        let shown = TerminalText.sanitized(typed, limit: 60)
        guard let near = NearestName.of(typed, among: Verb.all.map(\.name) + Verb.groups) else {
            return .usage("there is no verb “\(shown)”", next: ["tokenctl --help"])
        }
        return .usage("there is no verb “\(shown)”; did you mean “\(near)”?", next: ["tokenctl \(near) --help"])
    }
}
