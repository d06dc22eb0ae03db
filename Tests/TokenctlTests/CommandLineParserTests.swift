// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import tokenctl

@Suite struct CommandLineParserTests {
    private func invocation(_ arguments: String...) throws -> Invocation {
        guard case .run(let invocation) = try CommandLineParser.parse(SystemText.list(arguments)) else {
            throw TokenctlError.usage("no invocation")
        }
        return invocation
    }

    private func error(_ arguments: String...) -> TokenctlError? {
        do throws(TokenctlError) {
            _ = try CommandLineParser.parse(SystemText.list(arguments))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a verb takes an account and flags in any order`() throws {
        let expected = Invocation(
            verb: .token,
            operands: ["work"],
            values: ["--min-valid": ["60"], "--fresh": []]
        )
        #expect(try invocation("token", "work", "--min-valid", "60", "--fresh") == expected)
        #expect(try invocation("token", "--fresh", "--min-valid=60", "work") == expected)
        #expect(try invocation("token", "--fresh", "--min-valid=60", "--", "work") == expected)
    }

    @Test func `scopes may be repeated, stand in one word, or follow each other`() throws {
        let expected = ["openid", "email", "profile"]
        #expect(try invocation("login", "w", "--scope", "openid", "--scope", "email profile").scopes == expected)
        #expect(try invocation("login", "w", "--scope", "openid,email,profile").scopes == expected)
        #expect(try invocation("login", "w", "--scope", "openid", "email", "profile", "--force").scopes == expected)
        #expect(try invocation("login", "--scope", "openid", "w").account == "w")
    }

    @Test func `verbs of two words are one verb`() throws {
        #expect(try invocation("account", "show", "work").verb == .accountShow)
        #expect(
            try CommandLineParser.parse(["account"])
                == .help([
                    .accountAdd, .accountSecret, .accountImport, .accountList, .accountShow, .accountEdit,
                    .accountDefault, .accountRemove,
                ])
        )
    }

    @Test func `the verbs of a group are a short list`() throws {
        let outcome = try Surroundings().run(["account"])
        #expect(outcome.code == 0)
        #expect(outcome.output.split(separator: "\n").count == 10)
        #expect(outcome.output.contains("  account list"))
    }

    @Test func `help is understood wherever it stands`() throws {
        #expect(try CommandLineParser.parse([]) == .nothing)
        for arguments in [["--help"], ["-h"], ["help"]] as [[SystemText]] {
            #expect(try CommandLineParser.parse(arguments) == .help([]))
        }
        for arguments in [["help", "login"], ["login", "-h"], ["login", "work", "--help"]] {
            #expect(try CommandLineParser.parse(SystemText.list(arguments)) == .help([.login]))
        }
        #expect(try CommandLineParser.parse(["account", "add", "--help"]) == .help([.accountAdd]))
    }

    @Test(arguments: [
        (["stauts"], "status"), (["lgoin"], "login"), (["account", "lst"], "account list"), (["tok"], "token"),
    ])
    func `a mistyped verb gets the nearest name`(_ arguments: [String], _ near: String) {
        #expect(throws: TokenctlError.self) { try CommandLineParser.parse(SystemText.list(arguments)) }
        do throws(TokenctlError) {
            _ = try CommandLineParser.parse(SystemText.list(arguments))
        } catch {
            #expect(error.exitCode == 64)
            #expect(error.message.contains("did you mean “\(near)”?"))
        }
    }

    @Test func `a wrong flag is a usage error that names the right one`() {
        #expect(error("token", "--fomat=raw")?.message == "token has no --fomat; did you mean --format?")
        #expect(error("token", "--fresh=yes")?.message == "--fresh takes no value")
        #expect(error("token", "--min-valid")?.message == "--min-valid needs a value: --min-valid TIME")
        #expect(error("token", "--min-valid", "--fresh")?.message == "--min-valid needs a value: --min-valid TIME")
        #expect(error("token", "--format", "raw", "--format", "env")?.message == "--format was given twice")
        #expect(error("--json", "status", "a b")?.next == ["tokenctl status 'a b' --json"])
        #expect(error("--account", "work", "status")?.next == ["tokenctl --help"])
        #expect(error("unlock", "now")?.message == "unlock does not know what to do with “now”")
        #expect(error("account", "remove")?.message == "account remove needs ACCOUNT")
    }

    @Test func `what a person typed cannot steer their terminal`() {
        #expect(error("\u{1B}[2Jx")?.message.contains("\u{1B}") == false)
        #expect(error("token", "--\u{1B}]0;x")?.message.contains("\u{1B}") == false)
    }

    @Test(arguments: Verb.all)
    func `every example of the help is a command line that parses`(_ verb: Verb) throws {
        #expect(!verb.examples.isEmpty)
        for example in verb.examples {
            let command = example.split { "|>".contains($0) }[0]
            let words = command.split { " \\\n".contains($0) }.map(String.init)
            #expect(words.first == "tokenctl")
            _ = try CommandLineParser.parse(SystemText.list(Array(words.dropFirst())))
        }
    }

    @Test(arguments: Verb.all)
    func `help fits 80 columns`(_ verb: Verb) {
        let lines = Help.text(verb, palette: .plain) + Help.overview(palette: .plain) + Help.brief(palette: .plain)
        for line in lines.flatMap({ $0.split(separator: "\n") }) { #expect(line.count <= 80, "\(line)") }
    }

    @Test func `the program's name alone shows every verb on a terminal of 24 lines`() {
        let lines = Help.brief(palette: .plain)
        #expect(lines.count < 24, "\(lines.count)")
        let text = lines.joined(separator: " ")
        for verb in Verb.all where verb != .help {
            #expect(text.contains(" \(verb.name.split(separator: " ").last ?? "")"), "\(verb.name)")
        }
        #expect(lines.contains("  tokenctl account add") && !text.contains("example.com"))
    }

    @Test func `--json is shown, taken and completed where there is a result, and nowhere else`() {
        for verb in Verb.all {
            let isShown = Help.text(verb, palette: .plain).contains { $0.hasPrefix("  --json") }
            #expect(isShown == (verb.flag(named: "--json") != nil), "\(verb.name)")
        }
        let without = Verb.all.filter { $0.flag(named: "--json") == nil }
        #expect(
            Set(without) == [
                .exec, .call, .forward, .policyAnswer, .completion, .credentialGit, .credentialDocker,
                .credentialKubernetes, .credentialAWS, .help,
            ]
        )
        #expect(!CommandLineParser.wantsJSON(["exec", "work", "--json", "--", "x"]))
        #expect(!CommandLineParser.wantsJSON(["status", "--", "--json"]))
        #expect(
            CommandLineParser.wantsJSON(["status", "--json"]) && CommandLineParser.wantsJSON(["stauts", "--json"])
        )
    }

    @Test func `the list of verbs is two columns, and a group's says how its verbs are called`() {
        let overview = Help.overview(palette: .plain).filter { $0.hasPrefix("  ") && !$0.hasPrefix("  tokenctl") }
        let rows = overview.filter { !$0.hasPrefix("   ") }
        #expect(rows.count == Verb.all.count - 1 && rows.allSatisfy { $0.prefix(32).hasSuffix("  ") }, "\(rows)")
        for group in ["account", "policy", "credential"] {
            let lines = Help.list(Verb.all.filter { $0.name.hasPrefix(group + " ") }, palette: .plain)
            #expect(lines[0].hasPrefix("tokenctl \(group) VERB [--flags]: "))
            #expect(lines.last?.hasPrefix("tokenctl \(group) VERB --help") == true)
        }
    }

    @Test func `what stands after -- is another program's`() throws {
        #expect(error("exec", "work", "--json", "--", "curl")?.message == "exec has no --json")
        let exec = try invocation("exec", "work", "--env", "T", "--", "curl", "--json", "-h", "--")
        #expect(
            exec
                == Invocation(
                    verb: .exec,
                    operands: ["work"],
                    tail: ["curl", "--json", "-h", "--"],
                    values: ["--env": ["T"]]
                )
        )
        #expect(error("exec", "work")?.message == "exec needs -- COMMAND")
        #expect(error("exec", "work", "ls")?.message == "put -- before “ls”: COMMAND comes after it")
        #expect(try invocation("call", "work", "PUT", "https://a", "--", "-v").tail == ["-v"])
    }

    @Test func `another program's words may be any bytes, our own are UTF-8`() throws {
        let odd = SystemText(bytes: [0x61, 0xE9])
        let parsed = try CommandLineParser.parse(["exec", "work", "--", odd, "b"])
        #expect(parsed == .run(Invocation(verb: .exec, operands: ["work"], tail: [odd, "b"])))
        for words in [["login", odd], ["login", "--issuer", odd], ["status", "--", odd]] as [[SystemText]] {
            let fault = #expect(throws: TokenctlError.self) { try CommandLineParser.parse(words) }
            #expect(fault?.message == "“a�” is no UTF-8 text" && fault?.exitCode == 64)
        }
    }

    @Test func `a variable is put in the place of its like, and the others stay as they came`() {
        let odd = SystemText(bytes: Array("ODD=".utf8) + [0xE9])
        var variables = ProgramVariables(["A=1", odd, "T=old", "A=2", "T=older", "no variable"])
        #expect(variables.texts == ["A": "1", "ODD": "�", "T": "old"])
        variables.set("T", to: "new=er")
        #expect(variables.texts["T"] == "new=er" && variables["ODD"] == [0xE9])
        #expect(variables.entries == ["A=1", odd, "A=2", "no variable", "T=new=er"])
    }

    @Test func `other tools run it under names of their own`() {
        func arguments(_ path: String) -> [SystemText] { CommandLineParser.arguments(["get"], startedAs: path) }
        #expect(arguments("/usr/lib/git-core/git-credential-tokend") == ["credential", "git", "get"])
        #expect(arguments("docker-credential-tokend") == ["credential", "docker", "get"])
        #expect(
            arguments("docker-credential-tokend-my-lab") == ["credential", "docker", "--account", "my-lab", "get"]
        )
        #expect(arguments("/usr/bin/tokenctl") == ["get"])
    }

    @Test func `a helper's account is a flag`() throws {
        #expect(try invocation("credential", "git", "--account", "work", "get").account == "work")
        #expect(try invocation("credential", "git", "get").account == nil)
    }

    @Test func `every verb has a name of its own`() {
        #expect(Set(Verb.all).count == Verb.all.count)
    }
}
