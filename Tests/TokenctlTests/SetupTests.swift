// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import tokenctl

/// `setup`: another tool's file gets a few lines, once, and loses them again.
@Suite struct SetupTests {
    private static func daemon() throws -> StandInDaemon {
        try StandInDaemon { request in
            guard request.method == "status" else { return .result(["accounts": ["work"], "default": "work"]) }
            return .result([
                "accounts": [["account": "work", "issuer": "https://git.example.com", "identity": "anna@example.com"]]
            ])
        }
    }

    /// Runs `setup` with a home of its own, in which `file` has this text; the outcome, the text after it, and the home.
    private static func withHome(_ body: (Surroundings, String, StandInDaemon) throws -> Void) throws {
        var template = Array("/tmp/tokenctl-home-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure(errno) }
        let home = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let daemon = try daemon()
        defer {
            daemon.stop()
            for name in names(home).sorted(by: >) { remove(home + "/" + name) }
            rmdir(home)
        }
        var there = Surroundings()
        there.environment["HOME"] = home
        try body(there, home, daemon)
    }

    /// The files and folders in a folder, those in its folders too.
    private static func names(_ folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var found: [String] = []
        while let entry = readdir(stream) {
            let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let name = String(decoding: bytes, as: UTF8.self)
            guard name != ".", name != ".." else { continue }
            found += [name] + names(folder + "/" + name).map { name + "/" + $0 }
        }
        return found
    }

    private static func text(_ path: String) -> String? {
        guard let stream = fopen(path, "r") else { return nil }
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = fread(&bytes, 1, bytes.count, stream)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private static func write(_ text: String, _ path: String, mode: mode_t = 0o644) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
        _ = Glibc.write(descriptor, text, text.utf8.count)
        close(descriptor)
    }

    @Test func `an account that nobody knows leads to the tool's command with the nearest one`() throws {
        let daemon = try StandInDaemon { _ in .error("account_unknown", code: -32001, data: ["accounts": ["work"]]) }
        defer { daemon.stop() }
        try Self.withHome { there, _, _ in
            let outcome = try there.run(["setup", "git", "wrok"], daemon)
            #expect(outcome.talk.contains("did you mean “work”?\n  → tokenctl setup git work\n"))
        }
    }

    @Test func `git gets its lines once, what was there stays, and undone is as before`() throws {
        try Self.withHome { there, home, daemon in
            let file = home + "/.gitconfig", own = "[user]\n\tname = Anna\n"
            Self.write(own, file, mode: 0o600)
            let first = try there.run(["setup", "git", "work"], daemon)
            #expect(first.code == 0 && first.talk.hasPrefix("Written to \(file):\n"), "\(first)")
            let after = Self.text(file)
            #expect(
                after == own + """

                    # tokend: begin work
                    [credential "https://git.example.com"]
                    \thelper =
                    \thelper = !/usr/bin/tokenctl credential git --account work
                    # tokend: end work

                    """
            )
            var known = stat()
            #expect(stat(file, &known) == 0 && known.st_mode & 0o777 == 0o600, "its rights stay")
            let second = try there.run(["setup", "git", "work"], daemon)
            #expect(second.code == 0 && second.talk == "\(file) has these lines already.\n" && Self.text(file) == after)
            let other = try there.run(["setup", "git", "work", "--host", "git.example.org"], daemon)
            let both = Self.text(file) ?? ""
            #expect(other.code == 0 && both.contains("git.example.com") && both.contains("git.example.org"))
            let without = ["setup", "git", "work", "--undo", "--host"]
            #expect(try there.run(without + ["git.example.org"], daemon).code == 0 && Self.text(file) == after)
            let wrong = try there.run(["setup", "git", "wrok", "--undo"])
            #expect(wrong.talk == "\(file) has no such lines. It has lines of work.\n", "\(wrong.talk)")
            #expect(try there.run(["setup", "git", "work", "--undo"]).code == 0, "without a daemon")
            #expect(Self.text(file) == own && Self.names(home) == [".gitconfig"])
            #expect(try there.run(["setup", "git", "--undo"]).talk == "\(file) has no such lines.\n")
        }
    }

    @Test func `a file of our making goes when it is undone, also after it was changed`() throws {
        try Self.withHome { there, home, daemon in
            let role = "arn:aws:iam::123456789012:role/work"
            let made = try there.run(["setup", "aws", "--role", role], daemon)
            #expect(made.code == 0)
            #expect(Self.text(home + "/.aws/config")?.contains("--account work --role \(role)\n") == true)
            #expect(try there.run(["setup", "git", "work"], daemon).code == 0)
            #expect(try there.run(["setup", "git", "work", "--host", "git.example.org"], daemon).code == 0)
            #expect(try there.run(["setup", "git", "--undo"]).code == 0)
            let undone = try there.run(["setup", "aws", "--undo"])
            #expect(undone.code == 0)
            #expect(Self.names(home) == [".aws"])
        }
    }

    @Test(arguments: [
        (["git", "work"], ".gitconfig", "[credential \"https://git.example.com\"]\n"),
        (["aws", "work", "--role", "arn:aws:iam::123456789012:role/w"], ".aws/config", "[profile  work]\n"),
        (["msmtp", "work", "--host", "smtp.example.com"], ".msmtprc", " account work\n"),
        (["mbsync", "work", "--host", "imap.example.com"], ".mbsyncrc", "IMAPAccount work\n"),
        (["git", "work"], ".gitconfig", "# tokend: begin work\n[user]\n"),
        (["git", "work"], ".gitconfig", "[user]\n\tname = \u{FFFD}\n"),
        (
            ["docker", "--host", "r.example.com"], ".docker/config.json",
            "{\"credHelpers\":{\"r.example.com\":\"pass\"}}"
        ),
        (["docker", "--host", "r.example.com"], ".docker/config.json", "no JSON"),
    ]) func `what is in the way is left alone`(_ arguments: [String], _ name: String, _ own: String) throws {
        try Self.withHome { there, home, daemon in
            if let slash = name.lastIndex(of: "/") { mkdir(home + "/" + name[..<slash], 0o700) }
            Self.write(own, home + "/" + name)
            let outcome = try there.run(["setup"] + arguments, daemon)
            #expect(outcome.code == 78 || outcome.code == 66, "\(outcome)")
            #expect(Self.text(home + "/" + name) == own)
            #expect(!Self.names(home).contains { $0.hasSuffix(".before-tokend") })
        }
    }

    @Test func `docker's settings keep what else they have`() throws {
        try Self.withHome { there, home, daemon in
            let file = home + "/.docker/config.json"
            mkdir(home + "/.docker", 0o700)
            let own: JSONObject = ["auths": [:], "credHelpers": ["gcr.io": "gcloud"]]
            Self.write(JSONWriter.pretty(.object(own)) + "\n", file)
            #expect(try there.run(["setup", "docker", "--host", "registry.gitlab.com"], daemon).code == 0)
            let after = try JSONReader().read(Self.text(file) ?? "").object
            #expect(after?["credHelpers"] == ["gcr.io": "gcloud", "registry.gitlab.com": "tokend"])
            #expect(try there.run(["setup", "docker", "--undo"], daemon).code == 0)
            #expect(try JSONReader().read(Self.text(file) ?? "").object == own)
            #expect(Self.names(home + "/.docker") == ["config.json"])
        }
    }

    @Test(arguments: [
        (["docker"], ".docker/config.json", "{\n\t\"auths\": {\n\t\t\"r.example.com\": {\"auth\": \"eDp5\"}\n\t}\n}"),
        (["docker"], ".docker/config.json", "{\"credHelpers\": {}, \"n\": 1.0}\n"),
        (["docker"], ".docker/config.json", "{}"), (["git", "work"], ".gitconfig", "[user]\n\tname = Anna"),
        (["git", "work"], ".gitconfig", "[user]\r\n\tname = Anna\r\n"), (["git", "work"], ".gitconfig", "\n"),
        (["git", "work"], ".gitconfig", ""),
    ]) func `a file that nobody else changed is byte for byte what it was, and no copy stays`(
        _ tool: [String],
        _ name: String,
        _ own: String
    ) throws {
        try Self.withHome { there, home, daemon in
            let file = home + "/" + name, copy = name + ".before-tokend"
            mkdir(home + "/.docker", 0o700)
            Self.write(own, file, mode: 0o600)
            for host in ["a.example.com", "b.example.com"] {
                let added = try there.run(["setup"] + tool + ["--host", host], daemon)
                #expect(added.code == 0)
                #expect(Self.text(home + "/" + copy).map { Array($0.utf8) } == Array(own.utf8))
            }
            if tool == ["docker"] {
                #expect(try there.run(["setup", "docker", "--undo", "--host", "a.example.com"]).code == 0)
                #expect(Self.text(file)?.contains("b.example.com") == true && Self.names(home).contains(copy))
            }
            #expect(try there.run(["setup", tool[0], "--undo"]).code == 0)
            #expect(Self.text(file).map { Array($0.utf8) } == Array(own.utf8))
            #expect(!Self.names(home).contains(copy))
        }
    }

    @Test func `what a person changed meanwhile stays, and the copy goes with the last line of ours`() throws {
        try Self.withHome { there, home, daemon in
            let file = home + "/.docker/config.json", copy = ".docker/config.json.before-tokend"
            mkdir(home + "/.docker", 0o700)
            Self.write("{\"auths\": {}}", file)
            let first = try there.run(["setup", "docker", "--host", "r.example.com"], daemon)
            #expect(first.code == 0)
            Self.write("{\"credHelpers\": {\"r.example.com\": \"tokend\"}, \"detachKeys\": \"ctrl-e\"}", file)
            #expect(try there.run(["setup", "docker", "--undo"]).code == 0)
            #expect(try JSONReader().read(Self.text(file) ?? "") == ["detachKeys": "ctrl-e"])
            #expect(!Self.names(home).contains(copy))
            // Taken out by hand: the next copy is of what the file holds then, and goes too.
            #expect(try there.run(["setup", "docker", "--host", "r.example.com"], daemon).code == 0)
            Self.write("{\"psFormat\": \"x\"}", file)
            #expect(try there.run(["setup", "docker", "--host", "r.example.com"], daemon).code == 0)
            #expect(Self.text(home + "/" + copy) == "{\"psFormat\": \"x\"}")
            Self.write("{\"psFormat\": \"y\"}", file)
            #expect(try there.run(["setup", "docker", "--undo"]).talk == "\(file) has no such lines.\n")
            #expect(Self.text(file) == "{\"psFormat\": \"y\"}" && !Self.names(home).contains(copy))
        }
    }

    @Test(arguments: [
        (["setup"], "which tool?"), (["setup", "gti"], "did you mean git?"),
        (["setup", "aws", "work"], "needs --role"),
        (["setup", "git", "work", "--host", "http://git.example.com"], "is no https server"),
        (["setup", "msmtp", "work"], "needs --host"), (["setup", "docker"], "which registry?"),
        (["setup", "msmtp", "work", "--host", "a\nb"], "cannot stand in that file"),
        (["setup", "msmtp", "work", "--host", "h", "--user", "a\"b"], "cannot stand in that file"),
        (["setup", "docker", "work", "--host", "r.example.com"], "docker names no account"),
    ]) func `what is missing or cannot be written is a usage error`(_ arguments: [String], _ words: String) throws {
        try Self.withHome { there, home, daemon in
            let outcome = try there.run(arguments, daemon)
            #expect(outcome.code == 64 && outcome.talk.contains(words), "\(outcome)")
            #expect(Self.names(home).isEmpty)
        }
    }

    @Test func `a mail server may have a port of its own`() {
        var values = SetupValues(account: "work", program: "tokenctl")
        (values.host, values.user) = ("mail.example.com", "a@example.com")
        #expect(BlockTool.msmtp.recipe(values).lines.contains("port 587"))
        values.host = "127.0.0.1:2525"
        values.smtpHost = "127.0.0.1:2526"
        #expect(BlockTool.msmtp.recipe(values).lines.starts(with: ["account work", "host 127.0.0.1", "port 2525"]))
        #expect(
            BlockTool.mbsync.recipe(values).lines.starts(with: ["IMAPAccount work", "Host 127.0.0.1", "Port 2525"])
        )
        let neomutt = BlockTool.neomutt.recipe(values).lines
        #expect(neomutt.contains("set smtp_url = \"smtp://a%40example.com@127.0.0.1:2526/\""))
        #expect(neomutt.contains("set folder = \"imaps://127.0.0.1:2525/\""))
    }
}
