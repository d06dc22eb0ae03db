// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import TokenClient

/// An application that shows the page itself, against the stand-in.
@Suite struct FrontEndSignInTests {
    /// Remembers what it was told.
    private final class Window: SignInFrontEnd {
        var told: [String] = []
        var added: [String: String] = [:]

        func show(_ url: String) { told.append("show \(url)") }
        func metadata(addedTo returned: [String: String]) -> [String: String] {
            told.append("returned \(returned.sorted { $0.key < $1.key }.map { "\($0)=\($1)" })")
            return added
        }
        func signedIn(_ account: SignedInAccount) { told.append("signed in \(account.account) \(account.metadata)") }
        func failed(_ error: TokenClientError) { told.append("failed \(error.code.rawValue)") }
    }

    private func daemon(_ answer: @escaping @Sendable (StandInDaemon.Request) -> StandInDaemon.Answer? = { _ in nil })
        throws -> StandInDaemon
    {
        try StandInDaemon { request in
            if let own = answer(request) { return own }
            let isHome = request.params["url"]?.string?.hasPrefix("com.example.app:/cb") == true
            return switch request.method {
            case "login.start": .result(StandInDaemon.started)
            case "login.check" where isHome: .result(["redirect": true, "metadata": ["realmId": "42", "n": 1]])
            case "login.check": .result(["redirect": false])
            case "login.complete":
                .result(["account": "work", "scope": "", "renewable": true, "metadata": ["realmId": "42"]])
            default: .result([:])
            }
        }
    }

    @Test func `it shows the page, asks before each navigation, adds, and is told of the end`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let window = Window()
        window.added = ["window": "1"]
        let signIn = FrontEndSignIn(
            try TokenClient(socketPath: daemon.path),
            account: "work",
            redirectURI: "com.example.app:/cb",
            frontEnd: window
        )
        #expect(signIn.navigation(to: "https://x") == .stop)
        signIn.begin()
        #expect(signIn.navigation(to: "https://login.example.com/consent") == .goOn)
        #expect(window.told == ["show https://login.example.com/authorize?state=s"])
        #expect(signIn.navigation(to: "com.example.app:/cb?code=c&state=s") == .stop)
        #expect(window.told.dropFirst() == ["returned [\"realmId=42\"]", "signed in work [\"realmId\": \"42\"]"])
        #expect(try signIn.result?.get().isRenewable == true)
        #expect(signIn.navigation(to: "https://login.example.com/") == .stop)
        let params = daemon.requests.map(\.params)
        #expect(
            params.first == [
                "account": "work", "completes": true, "open_browser": false, "redirect_uri": "com.example.app:/cb",
            ]
        )
        #expect(params.last?["metadata"] == ["window": "1"] && params.last?["login_id"] == "L1")
    }

    @Test func `it is told of errors, once`() throws {
        let isOver = Flag()
        let daemon = try daemon { request in
            switch request.method {
            case "login.complete":
                isOver.raise()
                return .error("login_failed", code: -32004)
            default: return isOver.isRaised ? .error("login_unknown", code: -32005) : nil
            }
        }
        defer { daemon.stop() }
        let window = Window()
        let signIn = FrontEndSignIn(try TokenClient(socketPath: daemon.path), account: "work", frontEnd: window)
        signIn.begin()
        for _ in 0..<2 { #expect(signIn.navigation(to: "com.example.app:/cb?error=access_denied") == .stop) }
        signIn.cancel()
        #expect(window.told.filter { $0.hasPrefix("failed") } == ["failed login_failed"])
        #expect(daemon.methods.last == "login.complete")
    }

    @Test func `a redirect that is nobody's answer is not loaded, and the sign-in goes on`() throws {
        let daemon = try daemon { request in
            request.method == "login.complete" ? .error("login_unknown", code: -32005) : nil
        }
        defer { daemon.stop() }
        let window = Window()
        let signIn = FrontEndSignIn(try TokenClient(socketPath: daemon.path), account: "work", frontEnd: window)
        signIn.begin()
        #expect(signIn.navigation(to: "com.example.app:/cb?state=other") == .stop)
        #expect(signIn.result == nil && !window.told.contains { $0.hasPrefix("failed") })
        #expect(signIn.navigation(to: "https://login.example.com/") == .goOn)
    }

    @Test func `a person's cancel is quiet, and ends it in the daemon`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let window = Window()
        let signIn = FrontEndSignIn(try TokenClient(socketPath: daemon.path), account: "work", frontEnd: window)
        signIn.begin()
        signIn.cancel()
        #expect(window.told.count == 1 && daemon.methods == ["login.start", "login.cancel"])
        #expect(signIn.navigation(to: "https://login.example.com/") == .stop && signIn.result == nil)
    }

    @Test func `a login that cannot begin is told, and one without a daemon`() throws {
        let daemon = try daemon { _ in .error("config_invalid", code: -32014) }
        defer { daemon.stop() }
        for (path, kind) in [(daemon.path, "config_invalid"), ("/nonexistent/tokend.sock", "daemon_absent")] {
            let window = Window()
            let signIn = FrontEndSignIn(try TokenClient(socketPath: path), account: "work", frontEnd: window)
            signIn.begin()
            #expect(window.told == ["failed \(kind)"])
        }
    }
}
