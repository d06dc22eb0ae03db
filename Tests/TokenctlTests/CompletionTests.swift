// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Testing
import tokenctl

@Suite struct CompletionTests {
    /// Runs a shell to its end: its output, and whether it ended well. It has no home, and cannot make itself one.
    static func run(_ arguments: [String]) throws -> (output: String, isWell: Bool) {
        let output = try TemporaryFile("")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output.path, O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = [
            strdup("PATH=/usr/bin:/bin"), strdup("HOME=/dev/null"), nil,
        ]
        defer { (words + variables).forEach { free($0) } }
        var pid: pid_t = 0
        guard posix_spawn(&pid, arguments[0], &actions, nil, &words, &variables) == 0 else {
            throw SystemFailure(errno)
        }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        return (try output.text(), status == 0)
    }

    private static func script(_ shell: CompletionShell) throws -> TemporaryFile {
        try TemporaryFile(try Surroundings().run(["completion", shell.rawValue]).output)
    }

    @Test(arguments: [
        (CompletionShell.bash, ["/bin/bash", "-n"]), (.zsh, ["/bin/zsh", "-n"]),
        (.fish, ["/usr/bin/fish", "--no-execute"]),
    ])
    func `every script is one that its shell reads`(_ shell: CompletionShell, _ command: [String]) throws {
        let script = try Self.script(shell)
        // bash is on every machine that builds this; the others are looked at where they are installed.
        guard shell == .bash || access(command[0], X_OK) == 0 else { return }
        let read = try Self.run(command + [script.path])
        #expect(read.isWell, "\(read.output)")
        #expect(read.output == "")
    }

    @Test(
        arguments: [
            ("tokenctl st", "status"), ("tokenctl account rem", "remove"), ("tokenctl login ", "work me@home"),
            ("tokenctl login w", "work"), ("tokenctl account remove me@h", "home"), ("tokenctl token --fo", "--format"),
            ("tokenctl token --format x", "xoauth2"), ("tokenctl credential git ", "get store erase"),
            ("tokenctl credential docker --account w", "work"), ("tokenctl completion ", "bash zsh fish"),
            ("tokenctl login --issuer ", ""), ("tokenctl version w", ""),
            ("tokenctl exec work -- /bin/bashb", "/bin/bashbug"),
            ("tokenctl account import --refresh-token-file /etc/passw", "/etc/passwd"), ("tokenctl nonsense ", ""),
        ] as [(String, String)]
    )
    func `bash offers verbs, flags, values and the daemon's accounts`(_ line: String, _ offer: String) throws {
        let script = try Self.script(.bash)
        let text = """
            tokenctl() { [[ $* == 'account list' ]] && printf '%s\\n' work me@home; }
            source \(script.path)
            COMP_LINE=$1 COMP_POINT=${#1}
            _tokenctl
            echo "${COMPREPLY[*]}"
            """
        let found = try Self.run(["/bin/bash", "-c", text, "bash", line])
        #expect(found.isWell)
        #expect(
            found.output.split(separator: " ").filter { $0 != "/etc/passwd-" }.joined(separator: " ") == offer + "\n"
        )
    }

    @Test func `what an account is called is not run`() throws {
        let script = try Self.script(.bash)
        let text = """
            tokenctl() { echo '$(echo-was-run)'; }
            source \(script.path)
            COMP_LINE='tokenctl login ' COMP_POINT=15
            _tokenctl
            echo "${COMPREPLY[*]}"
            """
        #expect(try Self.run(["/bin/bash", "-c", text]).output == "$(echo-was-run)\n")
    }

    @Test func `every verb and every flag is in every script`() throws {
        for shell in CompletionShell.allCases {
            let script = shell.script
            for verb in Verb.all {
                #expect(script.contains(verb.name))
                for flag in verb.flags { #expect(script.contains(flag.name.dropFirst(2))) }
            }
        }
    }

    @Test func `another shell is refused with those that there are`() throws {
        let outcome = try Surroundings().run(["completion", "csh"])
        #expect(outcome.code == 64)
        #expect(outcome.talk.contains("→ tokenctl completion bash"))
    }
}
