// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Completions for zsh, as `_tokenctl` in its `fpath`, or sourced.
enum ZshCompletion {
    static var script: String {
        """
        #compdef tokenctl
        _tokenctl_accounts() {
            local -a accounts
            accounts=(${(f)"$(_call_program accounts tokenctl account list 2>/dev/null)"})
            compadd -a accounts
        }
        _tokenctl_providers() {
            local -a lines
            lines=(${(f)"$(_call_program providers tokenctl account add --list-providers 2>/dev/null)"})
            lines=(${lines[2,-1]%% *})
            compadd -a lines
        }

        _tokenctl() {
            local verb
            local -a verbs
            if ((CURRENT == 2)); then
                verbs=(
        \(Verb.firstWords.map(firstWord).joined(separator: "\n"))
                )
                _describe verb verbs
                return
            fi
            verb=$words[2]
        \(Verb.groups.map(group).joined(separator: "\n"))
            shift words
            ((CURRENT--))
            case $verb in
        \(Verb.all.map(verb).joined(separator: "\n"))
            esac
        }

        if [[ $funcstack[1] == _tokenctl ]]; then
            _tokenctl "$@"
        else
            compdef _tokenctl tokenctl
        fi
        """
    }

    private static func firstWord(_ word: String) -> String {
        let summary = Verb.all.first { $0.name == word }?.summary ?? "…"
        return "            " + ShellWord.inQuotes("\(word):\(summary)")
    }

    private static func group(_ first: String) -> String {
        """
            if [[ $verb == \(first) ]]; then
                if ((CURRENT == 3)); then
                    compadd \(Verb.secondWords(after: first).joined(separator: " "))
                    return
                fi
                verb="$verb $words[3]"
                shift words
                ((CURRENT--))
            fi
        """
    }

    private static func verb(_ verb: Verb) -> String {
        var specifications = verb.offeredFlags.map(flag)
        for (index, candidates) in verb.operandCandidates.enumerated() {
            specifications.append("\(index + 1):operand:\(action(candidates) ?? " ")")
        }
        let lines = specifications.map { "                " + ShellWord.inQuotes($0) }
        return """
                    \(ShellWord.inQuotes(verb.name)))\(tail(verb))
                        _arguments \\
            \(lines.joined(separator: " \\\n"))
                        ;;
            """
    }

    /// The words after `--`: `_arguments` would take them for operands, and stop completing flags before it.
    private static func tail(_ verb: Verb) -> String {
        guard verb.tail != .none else { return "" }
        let begin = "\n                if ((${words[(i)--]} < CURRENT)); then\n"
        let end = "                    return\n                fi"
        guard verb.runsCommand else { return begin + "                    _files\n" + end }
        return begin + """
                                ((CURRENT -= ${words[(i)--]}))
                                shift ${words[(i)--]} words
                                _normal

            """ + end
    }

    private static func flag(_ flag: FlagSyntax) -> String {
        var help = ""
        for character in flag.help {
            if "[]:\\".contains(character) { help += "\\" }
            help.append(character)
        }
        let value = flag.value.map { ":\($0.text):\(action(flag.candidates) ?? " ")" } ?? ""
        return "\(flag.repeats ? "*" : "")\(flag.name)[\(help)]\(value)"
    }

    private static func action(_ candidates: Candidates) -> String? {
        switch candidates {
        case .none: nil
        case .accounts: "_tokenctl_accounts"
        case .providers: "_tokenctl_providers"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        }
    }
}
