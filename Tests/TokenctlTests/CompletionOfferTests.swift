// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Testing
import tokenctl

/// What each shell offers with the script that it is given: the shells themselves, each with a stand-in for `tokenctl`
/// that knows the accounts `work` and `me@home`.
@Suite struct CompletionOfferTests {
    private static let accounts = ["me@home", "work"]
    private static let tools = ["aws", "docker", "git", "kubectl", "mbsync", "msmtp", "neomutt"]

    private static let list =
        "'PROVIDER  NEEDS      FOR' 'github    client id  GitHub: git' 'gitlab    client id  GitLab: git'"

    private static let offers: [(String, [String])] = [
        ("tokenctl st", ["status"]), ("tokenctl account rem", ["remove"]), ("tokenctl login ", accounts),
        ("tokenctl login w", ["work"]), ("tokenctl token --fo", ["--format"]),
        ("tokenctl token --format x", ["xoauth2"]),
        ("tokenctl token --scope a w", ["work"]), ("tokenctl token work ", []), ("tokenctl version ", []),
        ("tokenctl credential git ", ["erase", "get", "store"]), ("tokenctl credential git get ", []),
        ("tokenctl credential docker --account w", ["work"]), ("tokenctl completion ", ["bash", "fish", "zsh"]),
        ("tokenctl setup ", tools), ("tokenctl setup git ", accounts), ("tokenctl setup git work ", []),
        ("tokenctl setup --host h git w", ["work"]), ("tokenctl policy revoke ", accounts),
        ("tokenctl policy revoke work ", []), ("tokenctl exec wo", ["work"]), ("tokenctl exec --env T wo", ["work"]),
        // Without the dashes a command is refused.
        ("tokenctl exec work bashb", []), ("tokenctl exec work --e", ["--env"]),
        ("tokenctl exec work -- bashb", ["bashbug"]), ("tokenctl exec work -- /bin/bashb", ["bashbug"]),
        ("tokenctl exec work -- cat /etc/host.con", ["host.conf"]), ("tokenctl exec work -- --e", []),
        ("tokenctl login work --provider gitl", ["gitlab"]),
        ("tokenctl account add --provider g", ["github", "gitlab"]),
        ("tokenctl account add --tool m", ["mail"]),
        ("tokenctl call wo", ["work"]), ("tokenctl call work P", ["PATCH", "POST", "PUT"]),
        ("tokenctl call work --na", ["--narrow"]), ("tokenctl call work https://a --na", ["--narrow"]),
        ("tokenctl call work https://a -- /etc/host.con", ["host.conf"]),
        ("tokenctl call work https://a -- --data /etc/host.con", ["host.conf"]),
    ]

    @Test(arguments: CompletionShell.allCases, offers)
    func `a shell offers what may stand there, and nothing else`(
        _ shell: CompletionShell,
        _ row: (String, [String])
    ) throws {
        let (line, expected) = row
        // bash is on every machine that builds this; the others are looked at where they are installed.
        guard access(Self.program(shell), X_OK) == 0 else { return }
        let found = try Self.offered(shell, line)
        var names = Set(found.map { String($0.split(separator: "/").last ?? "") })
        // Where there is nothing else, zsh shows the flags.
        if line.hasSuffix(" ") { names = names.filter { !$0.hasPrefix("-") } }
        #expect(names.sorted() == expected, "\(line)")
    }

    private static func program(_ shell: CompletionShell) -> String {
        switch shell {
        case .bash: "/bin/bash"
        case .zsh: "/bin/zsh"
        case .fish: "/usr/bin/fish"
        }
    }

    /// What the shell offers for the word at the end of the line.
    private static func offered(_ shell: CompletionShell, _ line: String) throws -> [String] {
        let script = try TemporaryFile(shell.script)
        let found = try TemporaryFile("")
        let child = try TemporaryFile(zshChild(script.path, found.path))
        let command: [String] =
            switch shell {
            case .bash: ["--norc", "-c", bash(script.path, found.path), "shell", line]
            case .zsh: ["-f", "-c", zsh(child.path), "shell", line]
            case .fish: ["--no-config", "-c", fish(script.path, found.path), line]
            }
        return try withExtendedLifetime((script, child)) {
            let run = try CompletionTests.run(["/usr/bin/timeout", "60", program(shell)] + command)
            #expect(run.isWell, "\(line): \(run.output)")
            return try found.text().split(separator: "\n").map { String($0.split(separator: "\t")[0]) }
        }
    }

    private static func bash(_ script: String, _ found: String) -> String {
        """
        tokenctl() {
            [[ $* == 'account list' ]] && printf '%s\\n' work me@home
            [[ $* == 'account add --list-providers' ]] && printf '%s\\n' \(list)
        }
        source \(script)
        COMP_LINE=$1 COMP_POINT=${#1}
        _tokenctl
        printf '%s\\n' "${COMPREPLY[@]}" > \(found)
        """
    }

    private static func fish(_ script: String, _ found: String) -> String {
        """
        function tokenctl
            test "$argv" = "account list"; and printf '%s\\n' work me@home
            test "$argv" = "account add --list-providers"; and printf '%s\\n' \(list)
        end
        source \(script)
        complete --do-complete "$argv[1]" > \(found)
        """
    }

    /// zsh completes at a terminal alone: it gets one, types the line and a tab, and is read to its end.
    private static func zsh(_ child: String) -> String {
        """
        zmodload zsh/zpty
        zpty child zsh -f -i
        zpty -w child "source \(child)"
        zpty -r child seen '*READY*' || exit 3
        zpty -w -n child "$1"$'\t'
        while zpty -r child seen; do :; done
        """
    }

    /// At that terminal: writes down what is offered, and ends.
    private static func zshChild(_ script: String, _ found: String) -> String {
        """
        PROMPT=''
        autoload -Uz compinit
        compinit -D -u
        source \(script)
        tokenctl() {
            [[ $* == 'account list' ]] && print -l work me@home
            [[ $* == 'account add --list-providers' ]] && print -l \(list)
        }
        bindkey '^I' complete-word
        zstyle ':completion:*' insert-tab false
        leave() { exit; }
        comppostfuncs=(leave)
        compadd() {
            if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then
                builtin compadd "$@"
                return
            fi
            local -a hits
            builtin compadd -A hits "$@"
            print -rl -- $hits >> \(found)
            builtin compadd "$@"
        }
        print READY
        """
    }
}
