// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Completions for fish.
enum FishCompletion {
    static var script: String {
        var lines = [
            "# fish completion for tokenctl",
            "function __tokenctl_verb",
            "    set -l words (commandline --tokenize --cut-at-cursor --current-process)",
            "    set -l last (math 1 + (count $argv))",
            "    test (count $words) -ge $last; or return 1",
            "    test $last -eq 1; or test \"$words[2..$last]\" = \"$argv\"",
            "end",
            "function __tokenctl_begun",
            "    set -l words (commandline --tokenize --cut-at-cursor --current-process)",
            "    test (count $words) -eq (math 1 + (count $argv)); and __tokenctl_verb $argv",
            "end",
            "complete --command tokenctl --no-files",
        ]
        for word in Verb.firstWords {
            let summary = Verb.all.first { $0.name.rawValue == word }?.summary
            lines.append(complete("__tokenctl_begun", arguments: word, help: summary))
        }
        for first in Verb.groups {
            for second in Verb.secondWords(after: first) {
                let summary = Verb.all.first { $0.name.rawValue == "\(first) \(second)" }?.summary
                lines.append(complete("__tokenctl_begun \(first)", arguments: second, help: summary))
            }
        }
        return (lines + Verb.all.flatMap(verb)).joined(separator: "\n")
    }

    private static func verb(_ verb: Verb) -> [String] {
        let condition = "__tokenctl_verb \(verb.name.rawValue)"
        var lines: [String] = []
        if let arguments = arguments(verb.operandCandidates) {
            lines.append(complete(condition, arguments: arguments, help: nil))
        }
        for flag in verb.offeredFlags {
            var line = complete(condition, arguments: arguments(flag.candidates), help: flag.help)
            line += " --long-option \(flag.name.dropFirst(2))"
            if flag.value != nil {
                line += flag.candidates == .files ? " --require-parameter --force-files" : " --exclusive"
            }
            lines.append(line)
        }
        return lines
    }

    private static func arguments(_ candidates: Candidates) -> String? {
        switch candidates {
        case .none, .files: nil
        case .accounts: "(tokenctl account list 2>/dev/null)"
        case .words(let words): words.joined(separator: " ")
        }
    }

    private static func complete(_ condition: String, arguments: String?, help: String?) -> String {
        var line = "complete --command tokenctl --condition \(quoted(condition))"
        if let arguments { line += " --arguments \(quoted(arguments))" }
        if let help { line += " --description \(quoted(help))" }
        return line
    }

    private static func quoted(_ text: String) -> String {
        var result = "'"
        for character in text {
            if character == "'" || character == "\\" { result += "\\" }
            result.append(character)
        }
        return result + "'"
    }
}
