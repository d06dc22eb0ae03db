// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import TokendProtocol
import tokenctl

/// `callback`: an answer that the desktop hands in, and the desktop file that has it do so (RFC 8252, section 7.1).
@Suite struct CallbackTests {
    /// A home of its own, for as long as this is held.
    private final class Home {
        let path: String
        var there = Surroundings()

        init() throws {
            var template = Array("/tmp/tokenctl-home-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw SystemFailure(errno) }
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            there.environment = ["LANG": "C.UTF-8", "HOME": path, "XDG_DATA_DIRS": path + "/system"]
        }

        deinit { removeTree(path) }

        func text(_ file: String) -> String? {
            guard let stream = fopen(path + "/" + file, "r") else { return nil }
            defer { fclose(stream) }
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = fread(&bytes, 1, bytes.count, stream)
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        }

        func write(_ text: String, _ file: String) throws {
            var folder = path
            for part in file.split(separator: "/").dropLast() {
                folder += "/" + part
                mkdir(folder, 0o700)
            }
            guard let stream = fopen(path + "/" + file, "w") else { throw SystemFailure(errno) }
            fputs(text, stream)
            fclose(stream)
        }

        private func removeTree(_ path: String) {
            if let folder = opendir(path) {
                while let entry = readdir(folder) {
                    let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
                    let name = String(decoding: bytes, as: UTF8.self)
                    if name != ".", name != ".." { removeTree(path + "/" + name) }
                }
                closedir(folder)
            }
            remove(path)
        }
    }

    private static let list = ".config/mimeapps.list"
    private static let entry = ".local/share/applications/tokend-com.example.app.desktop"

    @Test func `an address is handed in, by an argument or on stdin`() throws {
        let daemon = try StandInDaemon { _ in .result(["account": "work", "identity": "anna", "renewable": true]) }
        defer { daemon.stop() }
        let url = "com.example.app:/cb?code=c&state=s"
        for (there, arguments) in [
            (Surroundings(), ["callback", url]), (Surroundings(input: url + "\n"), ["callback", "-"]),
        ] {
            let outcome = try there.run(arguments, daemon)
            #expect(outcome.code == 0 && outcome.talk == "Signed in to work as anna.\n")
        }
        #expect(daemon.requests.allSatisfy { $0.method == "login.complete" && $0.params == ["url": .string(url)] })
    }

    @Test func `an address that belongs to no sign-in says so`() throws {
        let daemon = try StandInDaemon { _ in .error("login_unknown", code: -32005, message: "no such sign-in") }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["callback", "com.example.app:/cb?code=c7"], daemon)
        #expect(outcome.code == 1)
        #expect(outcome.talk == "tokenctl: no such sign-in\n  → tokenctl login\n")
    }

    @Test func `a scheme is opened with it, once, and is not any more (8252-2)`() throws {
        let home = try Home()
        try home.write("[Added Associations]\nx=y;\n\n[Default Applications]\ntext/html=firefox.desktop\n", Self.list)
        let before = try #require(home.text(Self.list))
        #expect(try home.there.run(["callback", "--install", "com.Example.app:/cb"]).code == 0)
        let text = try #require(home.text(Self.entry))
        #expect(text.contains("\nExec=/usr/bin/tokenctl callback %u\n"))
        #expect(text.contains("\nMimeType=x-scheme-handler/com.example.app;\n") && text.contains("\nNoDisplay=true\n"))
        let after = try #require(home.text(Self.list))
        #expect(after.contains("\nx-scheme-handler/com.example.app=tokend-com.example.app.desktop;\n"))
        #expect(try home.there.run(["callback", "--install", "com.example.app"]).code == 0)
        #expect(home.text(Self.list) == after && home.text(Self.entry) == text)
        #expect(try home.there.run(["callback", "--status"]).output == "com.example.app  installed\n")
        #expect(try home.there.run(["callback", "--remove", "com.example.app"]).code == 0)
        #expect(home.text(Self.list) == before && home.text(Self.entry) == nil)
        let again = try home.there.run(["callback", "--remove", "com.example.app"])
        #expect(again.code == 0 && again.talk == "com.example.app: was not tokenctl's.\n")
        #expect(try home.there.run(["callback", "--status", "--json"]).json == ["handlers": []])
    }

    @Test(arguments: ["app", "https", "http://127.0.0.1/", "com.example.app.", "../x.y", "com/x.y", ""])
    func `what is no scheme of an application is refused`(scheme: String) throws {
        let home = try Home()
        let outcome = try home.there.run(["callback", "--install", scheme])
        #expect(outcome.code == 64 && home.text(Self.list) == nil)
    }

    @Test func `a scheme of another program is taken on request only, and given back`() throws {
        let home = try Home()
        try home.write("[Desktop Entry]\n", ".local/share/applications/other.desktop")
        let others = "[Default Applications]\nx-scheme-handler/com.example.app=gone.desktop;other.desktop\n"
        try home.write(others, Self.list)
        let daemon = try Self.daemon(home.path)
        defer { daemon.stop() }
        var there = home.there
        there.environment["BROWSER"] = "true"
        there.programs = ["true": "/bin/true"]
        let refused = try there.run(["login", "work"], daemon)
        #expect(refused.code == 77 && refused.talk.contains("is opened by another program (other.desktop)"))
        #expect(refused.talk.contains("→ tokenctl callback --install com.example.app"))
        #expect(try home.there.run(["callback", "--install", "com.example.app"]).code == 0)
        #expect(try there.run(["login", "work"], daemon).code == 0)
        #expect(try home.there.run(["callback", "--remove", "com.example.app"]).code == 0)
        #expect(home.text(Self.list)?.contains("com.example.app=gone.desktop;other.desktop;\n") == true)
    }

    /// A daemon that takes a scheme once its handler is installed in that home.
    private static func daemon(_ home: String) throws -> StandInDaemon {
        try StandInDaemon { request in
            switch request.method {
            case "login.start" where request.params["completes"] != true && access(home + "/" + entry, R_OK) != 0:
                .error(
                    "config_invalid",
                    code: -32014,
                    data: ["scheme": "com.example.app"],
                    message: "“com.example.app:/cb” cannot come back"
                )
            case "login.start":
                .result([
                    "login_id": "L1", "flow": "browser", "expires_at": 1_000_300, "redirect_uri": "com.example.app:/cb",
                    "authorization_url": "https://login.example.com/authorize?state=s",
                ])
            default: .result(["account": "work", "renewable": true])
            }
        }
    }

    @Test func `a login that needs the scheme has it opened before its browser opens`() throws {
        let home = try Home()
        let daemon = try Self.daemon(home.path)
        defer { daemon.stop() }
        var there = home.there
        there.environment["BROWSER"] = "true"
        there.programs = ["true": "/bin/true"]
        let outcome = try there.run(["login", "work"], daemon)
        #expect(outcome.code == 0, "\(outcome.talk)")
        #expect(outcome.talk.hasPrefix("com.example.app: is opened by tokenctl now"))
        #expect(outcome.talk.contains("→ tokenctl callback --remove com.example.app"))
        #expect(daemon.methods == ["login.start", "login.start", "login.wait"])
        #expect(home.text(Self.entry) != nil)
    }

    @Test(arguments: [["login", "work"], ["login", "work", "--no-browser"]])
    func `without a browser here the scheme is refused, and pasting offered`(arguments: [String]) throws {
        let home = try Home()
        let daemon = try Self.daemon(home.path)
        defer { daemon.stop() }
        let outcome = try home.there.run(arguments, daemon)
        #expect(outcome.code == 78)
        #expect(
            outcome.talk == """
                tokenctl: “com.example.app:/cb” cannot come back
                  → tokenctl login work --paste

                """
        )
        #expect(home.text(Self.entry) == nil)
    }

    /// What the desktop was told; the program that shows it is not waited for.
    private func shown(_ home: Home, _ arguments: [String], _ daemon: StandInDaemon) throws -> [String] {
        let pipe = home.path + "/shown"
        mkfifo(pipe, 0o600)
        let end = open(pipe, O_RDWR | O_CLOEXEC)
        defer { close(end) }
        try home.write("#!/bin/sh\nprintf '%s\\n' \"$@\" END > '\(pipe)'\n", "notify-send")
        chmod(home.path + "/notify-send", 0o700)
        var there = home.there
        there.programs = ["notify-send": home.path + "/notify-send"]
        _ = try there.run(arguments, daemon)
        var text = ""
        var waiting = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        while !text.hasSuffix("END\n"), poll(&waiting, 1, 20_000) > 0 {
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = read(end, &chunk, chunk.count)
            text += String(decoding: chunk.prefix(max(0, count)), as: UTF8.self)
        }
        return text.split(separator: "\n").map(String.init)
    }

    @Test func `who has no terminal is told by the desktop how the sign-in ended`() throws {
        let url = "com.example.app:/cb?code=c7&state=s"
        let good = try StandInDaemon { _ in .result(["account": "work", "identity": "an<na", "renewable": true]) }
        defer { good.stop() }
        let told = try shown(Home(), ["callback", url], good)
        #expect(told.suffix(4) == ["--", "Signed in", "Signed in to work as an&lt;na.", "END"])
        let bad = try StandInDaemon { _ in .error("login_unknown", code: -32005, message: "no such sign-in") }
        defer { bad.stop() }
        let refused = try shown(Home(), ["callback", url], bad)
        #expect(refused.suffix(4) == ["--", "The sign-in did not succeed", "no such sign-in", "END"])
        #expect(!(told + refused).contains { $0.contains("c7") })
    }

    @Test(arguments: [["callback"], ["callback", "x:/y", "--status"], ["callback", "--status", "--remove", "a.b"]])
    func `one thing at a time`(arguments: [String]) throws {
        #expect(try Surroundings().run(arguments).code == 64)
    }

    @Test(arguments: [
        ("/usr/bin/tokenctl", "/usr/bin/tokenctl"), ("/home/a b/tokenctl", "\"/home/a b/tokenctl\""),
        ("/h/$x`\"/t%", "\"/h/\\\\$x\\\\`\\\\\"/t%%\""), ("/h\\x", "\"/h\\\\\\\\x\""),
    ])
    func `the program's path is quoted as desktop files want it`(path: String, word: String) {
        let entry = DesktopEntry(scheme: "com.example.app", type: "x-scheme-handler/com.example.app", program: path)
        #expect(entry.text.contains("\nExec=\(word) callback %u\n"))
    }
}
