// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Completions for bash. They split the line at blanks themselves: bash would split an account's name at its `@`.
enum BashCompletion {
    static var script: String {
        """
        # bash completion for tokenctl
        _tokenctl() {
            local line=${COMP_LINE:0:COMP_POINT} words=() cur prev verb at=1 i name flags='' operands='' files=''
            read -ra words <<<"$line"
            [[ $line == *[[:space:]] ]] && words+=('')
            cur=${words[${#words[@]} - 1]}
            prev=${words[${#words[@]} - 2]}
            COMPREPLY=()
            if ((${#words[@]} <= 2)); then
                mapfile -t COMPREPLY < <(compgen -W '\(Verb.firstWords.joined(separator: " "))' -- "$cur")
                return
            fi
            verb=${words[1]}
        \(groups)
            for ((i = at + 1; i < ${#words[@]} - 1; i++)); do
                if [[ ${words[i]} == -- ]]; then
                    mapfile -t COMPREPLY < <(compgen -c -f -- "$cur" | sort -u)
                    return
                fi
            done
            case $verb in
        \(Verb.all.map(verb).joined(separator: "\n"))
            esac
            if [[ $files ]]; then
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                return
            fi
            if [[ $cur == -* ]]; then
                operands=$flags
            elif [[ $operands == @accounts ]]; then
                # Not by `compgen -W`, which would expand what a name holds.
                while read -r name; do
                    [[ $name == "$cur"* ]] && COMPREPLY+=("$name")
                done < <(tokenctl account list 2>/dev/null)
                operands=''
            fi
            [[ $operands ]] && mapfile -t COMPREPLY < <(compgen -W "$operands" -- "$cur")
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
        var lines = ["        '\(verb.name.rawValue)')"]
        lines.append("            flags='\(verb.offeredFlags.map(\.name).joined(separator: " "))'")
        if let words = words(verb.operandCandidates) { lines.append("            operands='\(words)'") }
        let valued = verb.flags.filter { $0.value != nil }
        if !valued.isEmpty {
            lines.append("            case $prev in")
            for candidates in valued.map(\.candidates).reduce(
                into: [Candidates](),
                { if !$0.contains($1) { $0.append($1) } }
            ) {
                let names = valued.filter { $0.candidates == candidates }.map(\.name).joined(separator: " | ")
                let action = candidates == .files ? "files=1" : "operands='\(words(candidates) ?? "")' flags=''"
                lines.append("                \(names)) \(action) ;;")
            }
            lines.append("            esac")
        }
        return (lines + ["            ;;"]).joined(separator: "\n")
    }

    private static func words(_ candidates: Candidates) -> String? {
        switch candidates {
        case .none, .files: nil
        case .accounts: "@accounts"
        case .words(let words): words.joined(separator: " ")
        }
    }
}
