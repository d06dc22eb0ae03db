// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing

@testable import tokenctl

/// `login --paste`: the user brings the address that the browser ended on (RFC 8252, section 7.2).
@Suite struct PasteTests {
    private static let home = "https://app.example/cb"
    private static let done: JSONObject = ["account": "work", "identity": "anna@example.com", "renewable": true]

    /// A daemon whose login ends with the code `good` alone.
    private func daemon(_ redirect: String = home) throws -> StandInDaemon {
        try StandInDaemon { request in
            let url = request.params["url"]?.string ?? ""
            switch request.method {
            case "login.start":
                return .result([
                    "login_id": "L1", "flow": "browser", "expires_at": 1_000_300, "redirect_uri": .string(redirect),
                    "authorization_url": "https://login.example.com/authorize?state=s",
                ])
            case "login.check": return .result(["redirect": .bool(url.hasPrefix(redirect + "?"))])
            case "login.complete" where url.contains("code=good"): return .result(Self.done)
            case "login.complete" where url.contains("code=bad"):
                return .error("login_failed", code: -32004, message: "the provider refused")
            case "login.complete": return .error("login_unknown", code: -32005)
            case "login.wait": return .silence
            default: return .result([:])
            }
        }
    }

    @Test(arguments: ["\n", ""])
    func `the address that is pasted ends the sign-in, and is shown nowhere (8252-3, E3)`(end: String) throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let outcome = try Surroundings(input: "  \(Self.home)?code=good&state=s \(end)").run(
            ["login", "work", "--paste", "--json"],
            daemon
        )
        #expect(outcome.code == 0 && outcome.json == Self.done)
        #expect(outcome.talk.contains("address that begins with \(Self.home) ("))
        #expect(!outcome.talk.contains("good") && !outcome.talk.contains("tunnel"))
        #expect(daemon.requests.first?.params["completes"] == true)
        #expect(daemon.requests.first?.params["flow"] == "browser")
        #expect(daemon.methods == ["login.start", "login.wait", "login.check", "login.complete"])
        #expect(daemon.requests.last?.params["login_id"] == "L1")
    }

    @Test func `a code and a paste are two ways, of which one is taken`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["login", "work", "--paste", "--device"], daemon)
        #expect(outcome.code == 64 && outcome.talk.contains("take --device or --paste") && daemon.methods.isEmpty)
    }

    @Test(arguments: [
        "<\(home)?code=good&state=s>", "“\(home)?code=good&state=s”", "'\(home)?code=good&state=s'",
        "\(home)?code=go\nod&st\n  ate=s", "  <\(home)?co\nde=good&state=s>  \n",
    ])
    func `an address in brackets or quotes, or wrapped over lines, is read`(text: String) throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let outcome = try Surroundings(input: text).run(["login", "work", "--paste", "--json"], daemon)
        #expect(outcome.code == 0, "\(outcome.talk)")
        #expect(daemon.requests.last?.params["url"]?.string == "\(Self.home)?code=good&state=s")
        #expect(daemon.methods == ["login.start", "login.wait", "login.check", "login.complete"])
    }

    @Test func `a wrong address says why and is asked for again (8252-3)`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let lines = [
            "", "two words", "no address", "https://login.example.com/consent?code=C7", "\(Self.home)/x?code=C7",
            "\(Self.home)?code=old&state=C7", "\(Self.home)?code=good",
        ]
        let outcome = try Surroundings(input: lines.joined(separator: "\n")).run(["login", "work", "--paste"], daemon)
        #expect(outcome.code == 0, "\(outcome.talk)")
        for reason in [
            "That was empty.", "has no blanks in it", "is at https://login.example.com, so the sign-in is not done yet",
            "another path", "not the answer to this sign-in",
        ] {
            #expect(outcome.talk.contains(reason), "\(reason)")
        }
        #expect(!outcome.talk.contains("C7"))
        #expect(outcome.talk.hasSuffix("Signed in to work as anna@example.com.\n"))
    }

    @Test func `what the provider refuses is refused`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let outcome = try Surroundings(input: "\(Self.home)?code=bad\n").run(["login", "work", "--paste"], daemon)
        #expect(outcome.code == 77 && outcome.talk.contains("the provider refused"))
    }

    @Test func `an input that ends cancels the sign-in`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["login", "work", "--paste"], daemon)
        #expect(outcome.code == 66)
        #expect(daemon.methods.last == "login.cancel")
    }

    @Test func `an answer that came by itself meanwhile ends it, too`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "login.start" ? .result(StandInDaemon.started) : .result(Self.done)
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["login", "work", "--paste"], daemon)
        #expect(outcome.code == 0 && daemon.methods == ["login.start", "login.wait"])
        #expect(outcome.talk.hasSuffix("(it is not shown): \nSigned in to work as anna@example.com.\n"))
    }

    @Test func `a browser that does not open is told, and the address asked for again`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings(input: "\(Self.home)?code=good\n")
        there.environment["BROWSER"] = "browser"
        there.programs = ["browser": "/nonexistent/browser"]
        let outcome = try there.run(["login", "work", "--paste"], daemon)
        #expect(outcome.code == 0)
        let parts = outcome.talk.split(separator: "Paste that whole address here")
        #expect(parts.count == 3 && parts[1].contains("“/nonexistent/browser” could not be started"), "\(outcome.talk)")
    }

    @Test func `Ctrl-C cancels it in the daemon`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        ctrlC.press()
        var there = Surroundings()
        there.interruption = ctrlC.interruption
        #expect(try there.run(["login", "work", "--paste"], daemon).code == 130)
        #expect(daemon.methods.last == "login.cancel")
    }

    @Test(arguments: [
        ("https://app.example/cb", "x", "no whole address; it begins with https://app.example/cb."),
        ("https://app.example/cb", "http://app.example/cb?code=C", "is at http://app.example, so"),
        ("https://app.example/cb", "https://app.example:8443/cb", "is at https://app.example:8443, so"),
        ("com.example.app:/cb", "com.example.app:/x?code=C", "another path; it begins with com.example.app:/cb."),
        ("com.example.app:/cb", "com.example.app://cb?code=C", "no whole address"),
        ("http://127.0.0.1:4711/cb", "http://127.0.0.1:4712/cb?code=C", "is at http://127.0.0.1:4712, so"),
        ("https://app.example/cb?a=b", "https://app.example/cb?code=C", "lacks a part"),
    ])
    func `the sentence names the part that differs`(redirect: String, text: String, part: String) {
        let sentence = PastedAddress.fault(of: text, redirectURI: redirect)
        #expect(sentence.contains(part), "\(sentence)")
        #expect(!sentence.contains("code"))
    }

    @Test func `where the terminal does not edit the line, the keys do`() {
        var line: [UInt8] = []
        #expect(TypedLine().append(Array("ab\u{7F}cé\u{8}d".utf8), to: &line))
        #expect(line == Array("acd".utf8))
        #expect(TypedLine().append([0x04, 0x15], to: &line) && line.isEmpty)
        #expect(!TypedLine().append([0x04], to: &line))
        #expect(TypedLine().append(Array("x\n\u{7F}\u{15}y".utf8), to: &line) && line == Array("x\ny".utf8))
    }

    @Test func `without a browser here the ways to get to the page are shown`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "login.start" ? .result(StandInDaemon.started) : .result(Self.done)
        }
        defer { daemon.stop() }
        let short = "\n  http://127.0.0.1:4711/start/x\n"
        var there = Surroundings()
        for arguments in [["login", "work"], ["login", "work", "--no-browser"]] {
            let here = try there.run(arguments, daemon).talk
            #expect(here.contains("For a browser on this machine, this is shorter:\n" + short))
            #expect(!here.contains("ssh"))
        }
        there.environment["SSH_CONNECTION"] = "10.0.0.2 50000 10.0.0.1 22"
        for arguments in [["login", "work"], ["login", "work", "--no-browser"]] {
            let far = try there.run(arguments, daemon).talk
            #expect(far.contains("the machine with the browser, run this first,\n"))
            #expect(far.contains("  ssh -N -L 4711:127.0.0.1:4711 10.0.0.1\n\nThen open this there"))
            #expect(far.contains(short))
        }
    }
}
