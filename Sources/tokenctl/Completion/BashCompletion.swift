// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Completions for bash. They split the line at blanks themselves: bash would split an account's name at its `@`.
enum BashCompletion {
    static var script: String {
        """
        # bash completion for tokenctl
        _tokenctl() {
            local line=${COMP_LINE:0:COMP_POINT} words=() cur prev verb at=1 i last name='' count=0
            local flags='' valued='' value='' operands=() rest='' offer=''
            read -ra words <<<"$line"
            [[ $line == *[[:space:]] ]] && words+=('')
            last=$((${#words[@]} - 1))
            cur=${words[last]}
            prev=${words[last - 1]}
            COMPREPLY=()
            if ((last < 2)); then
                mapfile -t COMPREPLY < <(compgen -W '\(Verb.firstWords.joined(separator: " "))' -- "$cur")
                return
            fi
            verb=${words[1]}
        \(groups)
            case $verb in
        \(Verb.all.map(verb).joined(separator: "\n"))
            esac
            for ((i = at + 1; i < last; i++)); do
                if [[ ${words[i]} == -- && $rest ]]; then
                    # The first word after it may be a command.
                    [[ $rest == command ]] && ((i + 1 == last)) && name=-c
                    mapfile -t COMPREPLY < <(compgen $name -f -- "$cur" | sort -u)
                    return
                elif [[ $valued == *" ${words[i]} "* ]]; then
                    ((i++))
                elif [[ ${words[i]} != -?* ]]; then
                    ((count++))
                fi
            done
            if ((i > last)); then
                offer=$value
            elif [[ $cur == -* ]]; then
                offer=$flags
            else
                offer=${operands[count]}
            fi
            case $offer in
                '') ;;
                @files) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
                @accounts)
                    # Not by `compgen -W`, which would expand what a name holds.
                    while read -r name; do
                        [[ $name == "$cur"* ]] && COMPREPLY+=("$name")
                    done < <(tokenctl account list 2>/dev/null)
                    ;;
                @providers)
                    while read -r name _; do
                        [[ $name == "$cur"* && $name != PROVIDER ]] && COMPREPLY+=("$name")
                    done < <(tokenctl account add --list-providers 2>/dev/null)
                    ;;
                *) mapfile -t COMPREPLY < <(compgen -W "$offer" -- "$cur") ;;
            esac
            # What stands before the last @ is there already.
            if [[ $cur == *@* && $COMP_WORDBREAKS == *@* ]]; then
                COMPREPLY=("${COMPREPLY[@]#"${cur%@*}@"}")
            fi
        }
        complete -o default -F _tokenctl tokenctl
        """
    }

    private static var groups: String {
        let cases = Verb.groups.map { first in
            let second = Verb.secondWords(after: first).joined(separator: " ")
            return
                """
                        \(first))
                            if ((${#words[@]} == 3)); then
                                mapfile -t COMPREPLY < <(compgen -W '\(second)' -- "$cur")
                                return
                            fi
                            verb+=" ${words[2]}" at=2
                            ;;
                """
        }
        return (["    case $verb in"] + cases + ["    esac"]).joined(separator: "\n")
    }

    private static func verb(_ verb: Verb) -> String {
        var lines = ["        '\(verb.name)')"]
        lines.append("            flags='\(verb.offeredFlags.map(\.name).joined(separator: " "))'")
        let operands = verb.operandCandidates.map { "'\(text($0))'" }
        if !operands.isEmpty { lines.append("            operands=(\(operands.joined(separator: " ")))") }
        if verb.tail != .none { lines.append("            rest=\(verb.runsCommand ? "command" : "files")") }
        let valued = verb.valuedFlags
        guard !valued.isEmpty else { return (lines + ["            ;;"]).joined(separator: "\n") }
        lines.append("            valued=' \(valued.map(\.name).joined(separator: " ")) '")
        let offered = valued.filter { $0.candidates != .none }
        if !offered.isEmpty {
            lines.append("            case $prev in")
            lines += offered.map { "                \($0.name)) value='\(text($0.candidates))' ;;" }
            lines.append("            esac")
        }
        return (lines + ["            ;;"]).joined(separator: "\n")
    }

    private static func text(_ candidates: Candidates) -> String {
        switch candidates {
        case .none: ""
        case .files: "@files"
        case .accounts: "@accounts"
        case .providers: "@providers"
        case .words(let words): words.joined(separator: " ")
        }
    }
}
