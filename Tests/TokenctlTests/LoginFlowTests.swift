// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import tokenctl

@Suite struct LoginFlowTests {
    private static let done: JSONObject = [
        "account": "work", "identity": "anna@example.com", "scope": "openid", "renewable": true,
        "expires_at": 1_003_600,
    ]

    private func daemon(_ answer: @escaping @Sendable (StandInDaemon.Request) -> StandInDaemon.Answer?) throws
        -> StandInDaemon
    {
        try StandInDaemon { request in
            if let own = answer(request) { return own }
            switch request.method {
            case "login.start": return .result(StandInDaemon.started)
            case "login.wait": return .result(Self.done)
            case "account.list": return .result(["accounts": ["work"]])
            default: return .result([:])
            }
        }
    }

    @Test func `the URL comes first, and the end says who signed in`() throws {
        let daemon = try daemon { _ in nil }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["login", "work"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output == "")
        #expect(
            outcome.talk.hasPrefix(
                "Sign in to work in your browser:\n\n  https://login.example.com/authorize?state=s\n"
            )
        )
        #expect(outcome.talk.contains("No browser is opened (this session has no display)"))
        #expect(outcome.talk.hasSuffix("Signed in to work as anna@example.com.\n"))
        #expect(daemon.methods == ["login.start", "login.wait"])
        #expect(daemon.requests.first?.params == ["account": "work", "open_browser": false])
    }

    @Test func `without a name it is the only account`() throws {
        let daemon = try daemon { _ in nil }
        defer { daemon.stop() }
        #expect(try Surroundings().run(["login"], daemon).code == 0)
        #expect(daemon.methods == ["account.list", "login.start", "login.wait"])
    }

    @Test func `with several accounts and no name, nothing is guessed`() throws {
        let daemon = try daemon { request in
            request.method == "account.list" ? .result(["accounts": ["work", "mail"]]) : nil
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["login"], daemon)
        #expect(outcome.code == 64)
        #expect(outcome.talk.contains("→ tokenctl login work\n  → tokenctl login mail"))
    }

    @Test func `flags reach the daemon, and the result is a document`() throws {
        let daemon = try daemon { _ in nil }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(
            ["login", "work", "--timeout", "2m", "--force", "--login-hint", "anna", "--scope", "mail", "--json"],
            daemon
        )
        #expect(outcome.json == Self.done)
        #expect(
            daemon.requests.first?.params == [
                "timeout": 120, "force": true, "login_hint": "anna", "scope": "mail", "account": "work",
                "open_browser": false,
            ]
        )
    }

    @Test func `how strong and how recent the sign-in must be reaches the daemon (9470-1)`() throws {
        let daemon = try daemon { _ in nil }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(
            ["login", "work", "--acr-values", "gold silver", "--max-age", "5m"],
            daemon
        )
        #expect(outcome.code == 0)
        #expect(
            daemon.requests.first?.params
                == ["account": "work", "open_browser": false, "acr_values": "gold silver", "max_age": 300]
        )
    }

    @Test func `the browser gets the short page, not the URL with the state`() throws {
        let daemon = try daemon { request in
            request.method == "login.wait" ? .silence : nil
        }
        defer { daemon.stop() }
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        let browser = try StandInBrowser()
        defer { browser.remove() }
        let opened = Slot()
        start {
            opened.set(browser.page())
            ctrlC.press()
        }
        var there = Surroundings()
        there.environment["BROWSER"] = "browser"
        there.programs = ["browser": browser.path]
        there.interruption = ctrlC.interruption
        let outcome = try there.run(["login", "work"], daemon)
        #expect(outcome.code == 130)
        #expect(opened.value == "http://127.0.0.1:4711/start/x")
    }

    @Test func `Ctrl-C cancels the sign-in in the daemon too`() throws {
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        let daemon = try daemon { request in
            guard request.method == "login.wait" else { return nil }
            ctrlC.press()
            return .silence
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.interruption = ctrlC.interruption
        let outcome = try there.run(["login", "work"], daemon)
        #expect(outcome.code == 130)
        #expect(outcome.talk.hasSuffix("tokenctl: the sign-in is cancelled\n"))
        #expect(daemon.methods == ["login.start", "login.wait", "login.cancel"])
        #expect(daemon.requests.last?.params == ["login_id": "L1"])
    }

    @Test func `SIGTERM ends it the same way, with its own code`() throws {
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        let daemon = try daemon { request in
            guard request.method == "login.wait" else { return nil }
            ctrlC.press(SIGTERM)
            return .silence
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.interruption = ctrlC.interruption
        #expect(try there.run(["login", "work"], daemon).code == 143)
        #expect(daemon.methods.last == "login.cancel")
    }

    @Test func `Ctrl-C before the sign-in has an id leaves none behind`() throws {
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        let daemon = try daemon { request in
            if request.method == "login.start" { ctrlC.press() }
            return nil
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.interruption = ctrlC.interruption
        let outcome = try there.run(["login", "work"], daemon)
        #expect(outcome.code == 130)
        #expect(daemon.methods.last == "login.cancel")
    }

    @Test func `at a terminal a locked store is opened first`() throws {
        let isOpen = Flag()
        let daemon = try daemon { request in
            if request.method == "store.unlock" {
                isOpen.raise()
                return .result(["state": "ready"])
            }
            return request.method == "login.start" && !isOpen.isRaised ? .lockedStore() : nil
        }
        defer { daemon.stop() }
        var there = Surroundings()
        #expect(try there.run(["login", "work"], daemon).code == 75)
        there.isInteractive = true
        #expect(try there.run(["login", "work"], daemon).code == 0)
    }

    @Test func `the account is made in the same step`() throws {
        let daemon = try daemon { _ in nil }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(
            ["login", "work", "--issuer", "https://i.example", "--client-id", "c", "--scope", "openid", "email"],
            daemon
        )
        #expect(outcome.code == 0)
        #expect(daemon.methods == ["account.add", "login.start", "login.wait"])
        #expect(
            daemon.requests.first?.params == [
                "account": "work",
                "config": ["issuer": "https://i.example", "client_id": "c", "scopes": ["openid", "email"]],
            ]
        )
    }

    @Test func `an account that does not exist yet is one command away`() throws {
        let daemon = try daemon { request in
            guard request.method == "login.start" else { return nil }
            return .error("account_unknown", code: -32001, data: ["accounts": ["work"]], message: "No account “desk”.")
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["login", "desk"], daemon)
        #expect(outcome.code == 64)
        #expect(outcome.talk.contains("→ tokenctl login work\n  → tokenctl account add desk\n"))
        var ascii = Surroundings()
        ascii.environment = [:]
        #expect(try ascii.run(["login", "desk"], daemon).talk.hasPrefix("tokenctl: No account \"desk\".\n  -> "))
    }

    @Test func `a second Ctrl-C ends even the cancelling`() throws {
        let ctrlC = try CtrlC()
        defer { ctrlC.close() }
        let daemon = try daemon { request in
            guard request.method != "login.start" else { return nil }
            ctrlC.press()
            return .silence
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.interruption = ctrlC.interruption
        let outcome = try there.run(["login", "work"], daemon)
        #expect(outcome.code == 130)
        #expect(outcome.talk.contains("in the daemon it ends by itself"))
        #expect(daemon.methods == ["login.start", "login.wait", "login.cancel"])
    }

    @Test func `over SSH the way for the answer is shown`() throws {
        let daemon = try daemon { _ in nil }
        defer { daemon.stop() }
        var there = Surroundings()
        there.environment["SSH_CONNECTION"] = "10.0.0.2 50000 10.0.0.1 22"
        there.programs = ["xdg-open": "/bin/false"]
        let outcome = try there.run(["login", "work"], daemon)
        #expect(outcome.talk.contains("  ssh -N -L 4711:127.0.0.1:4711 10.0.0.1\n"))
    }

    @Test func `a BROWSER that is no program is told`() throws {
        let daemon = try daemon { _ in nil }
        defer { daemon.stop() }
        var there = Surroundings()
        there.environment["BROWSER"] = "nope --new:true"
        there.programs = ["true": "/bin/true"]
        let outcome = try there.run(["login", "work"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.talk.contains("BROWSER names “nope”; there is no such program.\n"))
        #expect(!outcome.talk.contains("“true”"))
    }

    @Test func `a browser that cannot be started is no end`() throws {
        let daemon = try daemon { _ in nil }
        defer { daemon.stop() }
        var there = Surroundings()
        there.environment["DISPLAY"] = ":0"
        there.programs = ["xdg-open": "/nonexistent/xdg-open"]
        let outcome = try there.run(["login", "work"], daemon)
        #expect(outcome.code == 0)
        #expect(
            outcome.talk.contains(
                "No browser has opened the page (“/nonexistent/xdg-open” could not be started): open the URL"
            )
        )
    }

    @Test func `a sign-in that failed says why and how to go on`() throws {
        let daemon = try daemon { request in
            guard request.method == "login.wait" else { return nil }
            return .error("login_failed", code: -32004, data: ["account": "work"], message: "The person refused.")
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["login", "work"], daemon)
        #expect(outcome.code == 77)
        #expect(outcome.talk.hasSuffix("tokenctl: The person refused.\n  → tokenctl login work\n"))
    }

    @Test func `a sign-in without a refresh token says that it will end`() throws {
        let daemon = try daemon { request in
            guard request.method == "login.wait" else { return nil }
            return .result(["account": "work", "scope": "openid", "renewable": false, "expires_at": 1_003_600])
        }
        defer { daemon.stop() }
        let outcome = try Surroundings().run(["login", "work"], daemon)
        #expect(outcome.talk.contains("no refresh token: the sign-in ends in 1 h"))
    }
}
