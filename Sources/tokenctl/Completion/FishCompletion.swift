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
            "# __tokenctl_operand COUNT VALUED VERB…: so many operands stand before the cursor, values of flags apart.",
            "function __tokenctl_operand",
            "    set -l verb $argv[3..]",
            "    __tokenctl_verb $verb; or return 1",
            "    set -l words (commandline --tokenize --cut-at-cursor --current-process)",
            "    set -e words[1..(math 1 + (count $verb))]",
            "    set -l count 0",
            "    set -l isValue 0",
            "    for word in $words",
            "        if test $isValue -eq 1",
            "            set isValue 0",
            "        else if contains -- $word (string split ' ' -- $argv[2])",
            "            set isValue 1",
            "        else if not string match --quiet -- '-?*' $word",
            "            set count (math $count + 1)",
            "        end",
            "    end",
            "    test $count -eq $argv[1]",
            "end",
            "# __tokenctl_rest VERB…: whether the cursor is after --, where another program's words stand.",
            "function __tokenctl_rest",
            "    __tokenctl_verb $argv; and contains -- -- (commandline --tokenize --cut-at-cursor --current-process)",
            "end",
            "# What that program itself would have completed.",
            "function __tokenctl_command",
            "    set -l words (commandline --tokenize --cut-at-cursor --current-process)",
            "    set -e words[1..(contains --index -- -- $words)]",
            "    set -l line (string escape -- $words) (commandline --current-token --cut-at-cursor)",
            "    complete --do-complete \"$line\"",
            "end",
            "function __tokenctl_begun",
            "    set -l words (commandline --tokenize --cut-at-cursor --current-process)",
            "    test (count $words) -eq (math 1 + (count $argv)); and __tokenctl_verb $argv",
            "end",
            "complete --command tokenctl --no-files",
        ]
        for word in Verb.firstWords {
            let summary = Verb.all.first { $0.name == word }?.summary
            lines.append(complete("__tokenctl_begun", arguments: word, help: summary))
        }
        for first in Verb.groups {
            for second in Verb.secondWords(after: first) {
                let summary = Verb.all.first { $0.name == "\(first) \(second)" }?.summary
                lines.append(complete("__tokenctl_begun \(first)", arguments: second, help: summary))
            }
        }
        return (lines + Verb.all.flatMap(verb)).joined(separator: "\n")
    }

    private static func verb(_ verb: Verb) -> [String] {
        let name = verb.name
        let hasTail = verb.tail != .none
        let before = hasTail ? "not __tokenctl_rest \(name); and " : ""
        let condition = "\(before)__tokenctl_verb \(name)"
        let valued = verb.valuedFlags.map(\.name).joined(separator: " ")
        var lines: [String] = []
        for (index, candidates) in verb.operandCandidates.enumerated() {
            let place = "\(before)__tokenctl_operand \(index) \(quoted(valued)) \(name)"
            if let arguments = arguments(candidates) { lines.append(complete(place, arguments: arguments, help: nil)) }
        }
        if hasTail {
            let files = "(__fish_complete_path (commandline --current-token))"
            let rest = verb.runsCommand ? "(__tokenctl_command)" : files
            lines.append(complete("__tokenctl_rest \(name)", arguments: rest, help: nil))
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
        case .providers:
            "(tokenctl account add --list-providers 2>/dev/null | string match -rg '^([^ ]+) ' | tail -n +2)"
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
