// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import TokendProtocol
import tokenctl

/// What a user is shown for a device login.
@Suite struct DevicePromptTests {
    private static let started: JSONObject = [
        "login_id": "L1", "flow": "device", "expires_at": 1_000_900, "issuer": "https://accounts.example.com/tenant",
        "user_code": "WDJB-MJHT", "verification_uri": "https://example.com/device",
        "verification_uri_complete": "https://example.com/device?user_code=WDJB-MJHT", "interval": 5,
    ]

    private func traits(
        _ columns: Int? = 80,
        _ rows: Int? = 24,
        isTerminal: Bool = true,
        _ environment: [String: String] = ["LANG": "C.UTF-8", "NO_COLOR": "1"]
    ) -> TerminalTraits {
        TerminalTraits(
            inputIsTerminal: isTerminal,
            outputIsTerminal: isTerminal,
            errorIsTerminal: isTerminal,
            columns: columns,
            rows: rows,
            environment: environment
        )
    }

    private func code(_ text: String) -> QRCode? {
        let row = (0..<size(of: text)).map { $0.isMultiple(of: 2) ? "1" : "0" }.joined()
        return QRCode(rows: Array(repeating: row, count: row.utf8.count).joined(separator: "\n"))
    }

    private func lines(
        _ traits: TerminalTraits,
        _ changes: JSONObject = [:],
        encoder: ((String) -> QRCode?)? = nil
    ) throws -> [String] {
        var started = Self.started
        for member in changes { started[member.name] = member.value.isNull ? Optional.none : member.value }
        return try #require(DevicePrompt(LoginStart.Result(json: started), account: "work")).lines(
            traits,
            encoder: encoder ?? code
        )
    }

    /// A stand-in for `tokenctl-qr`: a code as large as that text's is.
    private func size(of text: String) -> Int {
        // Versions 1 to 6 at the lowest level of correction (ISO/IEC 18004, table 7).
        let version = [17, 32, 53, 78, 106, 134].firstIndex { text.utf8.count <= $0 } ?? 6
        return 21 + 4 * version
    }

    @Test func `a file gets the host, the page, the code and the link, and nothing drawn (8628-3, 8628-7)`() throws {
        #expect(
            try lines(traits(isTerminal: false)) == [
                "Sign in to work at accounts.example.com: on any device, open", "", "  https://example.com/device",
                "", "and enter this code:", "", "  WDJB-MJHT", "",
                "Or open this, and go on only if it shows the same code:", "",
                "  https://example.com/device?user_code=WDJB-MJHT", "",
            ]
        )
    }

    @Test func `a terminal of 80 by 24 has room for all of it, the spinner included`() throws {
        let lines = try lines(traits())
        #expect(lines.count + 1 <= 24)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 80 })
        #expect(lines.contains { $0.contains("█") } && lines.contains { $0.hasSuffix("│  WDJB-MJHT  │") })
        #expect(lines.contains("  https://example.com/device"))
        #expect(lines.contains { $0.hasSuffix("Or scan this, and go on only") })
    }

    @Test func `a long link makes way for the page alone, in the QR code too`() throws {
        let long = "https://example.com/device?user_code=WDJB-MJHT&" + String(repeating: "x", count: 60)
        let lines = try lines(traits(), ["verification_uri_complete": .string(long)])
        #expect(lines.contains { $0.hasSuffix("Scanning this opens the page.") } && lines.count + 1 <= 24)
        #expect(
            try self.lines(traits(80, 60), ["verification_uri_complete": .string(long)]).contains {
                $0.hasSuffix("Or scan this, and go on only")
            }
        )
    }

    @Test(arguments: [(50, 24), (80, 15), (40, 100)])
    func `where there is no room the code stands alone, in a frame`(columns: Int, rows: Int) throws {
        let lines = try lines(traits(columns, rows))
        #expect(!lines.contains { $0.contains("█") } && lines.contains("  │  WDJB-MJHT  │"))
        #expect(lines.contains("  https://example.com/device?user_code=WDJB-MJHT"))
    }

    @Test func `a terminal without more than ASCII gets a frame of ASCII`() throws {
        let lines = try lines(traits(80, 24, isTerminal: true, ["NO_COLOR": "1"]))
        #expect(lines.contains("  |  WDJB-MJHT  |") && lines.allSatisfy { $0.allSatisfy(\.isASCII) })
    }

    @Test func `without a program that makes codes the user's code stands alone, in a frame`() throws {
        let lines = try lines(traits()) { _ in nil }
        #expect(!lines.contains { $0.contains("█") } && lines.contains("  │  WDJB-MJHT  │"))
    }

    @Test func `with colours the code is black on white whatever the terminal's own are`() throws {
        let lines = try lines(traits(80, 24, isTerminal: true, ["LANG": "C.UTF-8"]))
        let drawn = lines.filter { $0.contains("\u{1B}[38;5;16;48;5;231m") }
        #expect(drawn.count >= 15)
        #expect(lines.contains { $0.contains("\u{1B}[1mWDJB-MJHT\u{1B}[0m") })
    }

    @Test func `what a provider says cannot steer the terminal`() throws {
        for name in ["issuer", "user_code", "verification_uri", "verification_uri_complete"] {
            let lines = try lines(traits(isTerminal: false), [name: "https://x\u{1B}[2J\r\n"])
            #expect(!lines.contains { $0.contains("\u{1B}") || $0.contains("\r\n") })
        }
    }

    @Test func `a browser's login is none of these`() throws {
        let started = try LoginStart.Result(json: ["login_id": "L", "flow": "browser", "expires_at": 1])
        #expect(DevicePrompt(started, account: "work") == nil)
    }

    @Test func `tokenctl asks for the flow, and opens no browser`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "login.start"
                ? .result(Self.started)
                : .result(["account": "work", "scope": "openid", "renewable": true, "identity": "anna"])
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.environment["BROWSER"] = "browser"
        there.programs = ["browser": "/nonexistent/browser"]
        let outcome = try there.run(["login", "work", "--device"], daemon)
        #expect(outcome.code == 0 && outcome.talk.contains("  WDJB-MJHT\n"))
        #expect(outcome.talk.hasSuffix("Signed in to work as anna.\n") && !outcome.talk.contains("browser"))
        #expect(daemon.requests.first?.params == ["account": "work", "flow": "device", "open_browser": false])
    }
}
