// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Testing
import tokenctl

@Suite struct BrowserTests {
    private let url = "http://127.0.0.1:4711/start"

    private func list(_ environment: [String: String], programs: Set<String>) -> [[String]] {
        BrowserCandidates.list(url: url, environment: environment) { programs.contains($0) ? "/bin/\($0)" : nil }
            .map(\.arguments)
    }

    @Test func `BROWSER comes first, then xdg-open, then wslview (E5)`() {
        let all = list(
            ["BROWSER": "firefox:chromium", "DISPLAY": ":0"],
            programs: ["firefox", "xdg-open", "wslview"]
        )
        #expect(all == [["/bin/firefox", url], ["/bin/xdg-open", url], ["/bin/wslview", url]])
    }

    @Test func `without a display nothing starts, unless BROWSER says so (E4)`() {
        #expect(list(["SSH_CONNECTION": "a 1 b 2"], programs: ["xdg-open"]) == [])
        #expect(list(["DISPLAY": ""], programs: ["xdg-open"]) == [])
        #expect(list(["WAYLAND_DISPLAY": "wayland-0"], programs: ["xdg-open"]) == [["/bin/xdg-open", url]])
        #expect(list(["BROWSER": "code --open"], programs: ["code"]) == [["/bin/code", "--open", url]])
        #expect(list([:], programs: ["wslview"]) == [["/bin/wslview", url]])
    }

    @Test func `BROWSER may place the URL, and no shell reads it`() {
        #expect(list(["BROWSER": "ff --url=%s 100%%"], programs: ["ff"]) == [["/bin/ff", "--url=\(url)", "100%"]])
        #expect(list(["BROWSER": "ff;reboot"], programs: ["ff"]) == [])
        #expect(list(["BROWSER": "ff $(reboot)"], programs: ["ff"]) == [["/bin/ff", "$(reboot)", url]])
    }

    @Test func `over SSH the command says how the answer finds its way back`() {
        let redirect = "http://127.0.0.1:40123/callback"
        #expect(
            SSHForwarding.command(redirectURI: redirect, connection: "10.0.0.2 5555 10.0.0.1 22")
                == "ssh -N -L 40123:127.0.0.1:40123 10.0.0.1"
        )
        #expect(
            SSHForwarding.command(redirectURI: "http://[::1]:9/", connection: "fe80::2 5555 fe80::1 2222")
                == "ssh -N -p 2222 -L 9:[::1]:9 fe80::1"
        )
        #expect(SSHForwarding.command(redirectURI: redirect, connection: nil) == nil)
        #expect(SSHForwarding.command(redirectURI: redirect, connection: "a b c $(x)") == nil)
        #expect(SSHForwarding.command(redirectURI: "com.example:/x", connection: "1 2 3 22") == nil)
    }

    @Test(arguments: [
        ("com.example.app:/cb", ["com.example.app:/cb"]), ("https://app.example/cb", ["https://app.example/cb"]),
        ("http://127.0.0.1:40123/callback", ["http://127.0.0.1:40123/callback", "http://127.0.0.1/callback"]),
        ("http://[::1]:9", ["http://[::1]:9", "http://[::1]"]), ("http://localhost/x", ["http://localhost/x"]),
    ])
    func `the redirect URI to register is told as it must be (D11)`(sent: String, shown: [String]) {
        #expect(RegistrationHint(sent).lines.filter { $0.hasPrefix("  ") } == shown.map { "  " + $0 })
    }

    @Test func `when every browser fails at once, that is known (E3)`() {
        let commands = [["/bin/false"], ["/nonexistent/browser"]].map(BrowserCandidates.Command.init)
        var launcher = BrowserLauncher(candidates: commands, environment: [:])
        #expect(launcher.advance() == .underWay)
        // The end of a child is no descriptor here: looked for, as the sign-in's own ticks do.
        var turns = 0
        while launcher.advance() == .underWay, turns < 5000 {
            turns += 1
            poll(nil, 0, 2)
        }
        #expect(launcher.advance() == .exhausted)
        #expect(
            launcher.complaint
                == "No browser has opened the page (“/bin/false” ended with 1, “/nonexistent/browser” could "
                + "not be started): open the URL yourself."
        )
    }

    @Test func `without a browser there is nothing to wait for (E3)`() {
        var launcher = BrowserLauncher(candidates: [], environment: [:])
        #expect(launcher.advance() == .exhausted)
        #expect(launcher.complaint == "No browser has opened the page: open the URL yourself.")
    }
}
