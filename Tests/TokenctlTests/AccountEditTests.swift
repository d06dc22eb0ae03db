// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import Testing
import tokenctl

/// `account edit`, `account default`, and what `account remove` finds in tools' files.
@Suite struct AccountEditTests {
    /// A daemon that reads `work.json5` of that folder, and finds a fault in it where it says “bad”.
    private static func daemon(_ folder: String) throws -> StandInDaemon {
        let file = folder + "/work.json5"
        return try StandInDaemon { request in
            switch request.method {
            case "account.list": return .result(["accounts": ["home", "work"], "default": "home"])
            case "account.show": return .result(["account": "work", "config": [:], "file": .string(file)])
            case "status":
                return .result(["daemon": ["config": ["folder": .string(folder), "state": "ok", "faults": []]]])
            case "config.reload":
                let isBad = (try? String(contentsOfFile: file, encoding: .utf8))?.contains("bad") ?? false
                let fault: JSONValue = ["file": .string(file), "line": 2, "message": "is bad"]
                return .result(["state": "ok", "faults": isBad ? [fault] : []])
            default: return .result(["revoked": true])
            }
        }
    }

    private static func withFile(
        _ text: String,
        _ body: (Surroundings, _ file: String, StandInDaemon) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        try write(text, folder.path + "/work.json5")
        let daemon = try daemon(folder.path)
        defer { daemon.stop() }
        var there = Surroundings()
        there.environment["TMPDIR"] = folder.path
        there.environment["HOME"] = folder.path
        try withExtendedLifetime(folder) { try body(there, folder.path + "/work.json5", daemon) }
    }

    private static func write(_ text: String, _ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else { throw SystemFailure(errno) }
        close(descriptor)
    }

    private static let own = "// mine\n{ issuer: \"https://i.example\" }\n"

    @Test func `the editor gets a copy, and what it leaves is in force`() throws {
        try Self.withFile(Self.own) { there, file, daemon in
            var there = there
            there.environment["EDITOR"] = "sed -i s/i.example/j.example/"
            let outcome = try there.run(["account", "edit", "work"], daemon)
            #expect(outcome.code == 0 && outcome.talk == "\(file) is changed, and has no faults.\n", "\(outcome)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "// mine\n{ issuer: \"https://j.example\" }\n")
            #expect(daemon.methods == ["account.show", "config.reload"])
            there.environment["VISUAL"] = "true"
            #expect(try there.run(["account", "edit", "work"], daemon).talk == "Nothing was changed.\n")
        }
    }

    @Test(arguments: [
        ("sed -i s/mine/bad/", "work.json5:2: is bad"), ("sed -i s/}//", "Line "), ("false", "the editor"),
    ])
    func `with faults the file stays as it was`(_ editor: String, _ words: String) throws {
        try Self.withFile(Self.own) { there, file, daemon in
            var there = there
            there.environment["EDITOR"] = editor
            let outcome = try there.run(["account", "edit", "work"], daemon)
            #expect(outcome.code != 0 && outcome.talk.contains(words), "\(outcome)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.own)
        }
    }

    @Test func `at a terminal faults can be edited again`() throws {
        try Self.withFile(Self.own) { there, file, daemon in
            var there = there
            there.isInteractive = true
            there.input = "y\n"
            // The first time it makes a fault, the second time it takes it out.
            there.environment["EDITOR"] = "sed -i -e s/bad/good/ -e s/mine/bad/"
            let outcome = try there.run(["account", "edit", "work"], daemon)
            #expect(outcome.code == 0 && outcome.talk.contains("Edit it again? [Y/n]"), "\(outcome)")
            #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("// good\n"))
        }
    }

    @Test func `the default account is set in config.json5, and told`() throws {
        try Self.withFile(Self.own) { there, file, daemon in
            #expect(try there.run(["account", "default"], daemon).output == "home\n")
            #expect(try there.run(["account", "default", "work"], daemon).code == 0)
            let config = file.replacing("work.json5", with: "config.json5")
            #expect(try String(contentsOfFile: config, encoding: .utf8) == "{\n  default_account: \"work\",\n}\n")
            let wrong = try there.run(["account", "default", "wrok"], daemon)
            #expect(wrong.code == 64 && wrong.talk.contains("→ tokenctl account default work"), "\(wrong.talk)")
        }
    }

    @Test(arguments: [
        ("{ default_account: \"a\", /* x */ store: \"file\" }", "{ default_account: \"w\", /* x */ store: \"file\" }"),
        ("// c\n{\n  \"store\": \"file\",\n}\n", "// c\n{\n  default_account: \"w\",\n  \"store\": \"file\",\n}\n"),
        ("{}", "{\n  default_account: \"w\",\n}"), ("\n", "{\n  default_account: \"w\",\n}\n"),
    ])
    func `the rest of config.json5 stays`(_ old: String, _ new: String) throws {
        #expect(try DefaultAccountEdit.text(old, account: "w", file: "c") == new)
        #expect(throws: TokenctlError.self) { try DefaultAccountEdit.text("{ store:", account: "w", file: "c") }
    }

    @Test func `removing an account leads on to the tools that still ask for it`() throws {
        try Self.withFile("") { there, file, daemon in
            let git = file.replacing("work.json5", with: ".gitconfig")
            let lines = "# tokend: begin work\n[credential \"https://x.example\"]\n# tokend: end work\n"
            try Self.write(lines, git)
            let told = try there.run(["account", "remove", "work"], daemon).talk
            #expect(told.hasSuffix("Still set up to ask for it: git.\n  → tokenctl setup git work --undo\n"), "\(told)")
            #expect(try String(contentsOfFile: git, encoding: .utf8) == lines)
            var terminal = there
            terminal.isInteractive = true
            terminal.input = "n\n"
            #expect(try terminal.run(["account", "remove", "work"], daemon).talk.hasSuffix("work --undo\n"))
            terminal.input = "\n"
            let done = try terminal.run(["account", "remove", "work"], daemon).talk
            #expect(done.hasSuffix("Take its lines out? [Y/n] Removed from \(git).\n"), "\(done)")
            #expect(access(git, F_OK) != 0)
            let rest = try terminal.run(["account", "remove", "work"], daemon).talk
            #expect(!rest.contains("Still set up"), "\(rest)")
        }
    }
}
