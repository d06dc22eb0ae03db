// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import TokendProtocol

@testable import tokenctl

/// What leads on, and what is said, at a terminal of so many columns.
@Suite struct NextStepTests {
    private func lines(_ step: String, width: Int = 40, indent: String = "  ") -> [String] {
        NextStep(step).lines(width: width, palette: .plain, indent: indent)
    }

    @Test func `a step that fits is one line`() {
        #expect(lines("tokenctl login work") == ["  → tokenctl login work"])
        #expect(lines("tokenctl unlock   (asks)", indent: "    ") == ["    → tokenctl unlock   (asks)"])
    }

    @Test func `a longer command is broken so that a shell puts it together again`() {
        let step = "tokenctl account add work --issuer https://login.example.com --scope 'a b' --replace"
        let broken = lines(step, width: 42)
        #expect(
            broken == [
                "  → tokenctl account add work \\", "      --issuer https://login.example.com \\",
                "      --scope 'a b' --replace",
            ]
        )
        for indent in ["", "  ", "    "] {
            let lines = lines(step, width: 44, indent: indent)
            #expect(lines.count == 3 && lines.allSatisfy { DisplayWidth.of($0) <= 44 }, "\(lines)")
        }
    }

    @Test func `a command that is broken already stays so`() {
        #expect(
            lines("tokenctl login work --issuer https://login.example.com \\\n      --client-id ID") == [
                "  → tokenctl login work --issuer https://login.example.com \\", "      --client-id ID",
            ]
        )
    }

    @Test func `words are broken between words, and a command among them is not`() {
        #expect(
            lines("mend config.json5:3; the change is picked up by itself") == [
                "  → mend config.json5:3; the change is", "    picked up by itself",
            ]
        )
        #expect(
            lines("put all of that right, and then do tokenctl reload") == [
                "  → put all of that right, and then do", "    tokenctl reload",
            ]
        )
    }

    @Test func `a remark goes below a command that it does not fit behind`() {
        #expect(
            lines("tokenctl callback --install a.b   (takes it over)") == [
                "  → tokenctl callback --install a.b", "    (takes it over)",
            ]
        )
    }

    @Test func `colours take no columns`() {
        let painted = Palette(coloured: true, unicode: true).paint("word", .strong)
        #expect(DisplayWidth.of(painted + "日") == 6)
    }

    @Test func `a word that is longer than the line is broken where that can be seen`() {
        #expect(
            DisplayWidth.wrapBreaking("see https://a.example/one/two?x=1&y=2 now", width: 16) == [
                "see", "https://", "a.example/one/", "two?x=1&y=2 now",
            ]
        )
        #expect(DisplayWidth.wrapBreaking(String(repeating: "x", count: 9), width: 4) == ["xxxx", "xxxx", "x"])
        #expect(DisplayWidth.wrapBreaking("日本語", width: 1) == ["日", "本", "語"])
        // No blank comes into it, whatever pieces are short.
        let path = (0..<30).map { "/" + String(repeating: "p", count: $0 % 7 + 1) }.joined()
        #expect(DisplayWidth.wrapBreaking(path, width: 12).joined() == path)
    }

    @Test func `an exchange with the provider fits the terminal`() {
        let long = "scope=" + (0..<40).map { "s\($0)" }.joined(separator: "+")
        let exchange = Doctor.Exchange(
            request: "POST https://login.example.com/" + String(repeating: "realm/", count: 20),
            isSent: false,
            sent: [long],
            received: ["a JSON object: " + (0..<40).map { "member\($0)" }.joined(separator: ", ")]
        )
        let lines = DoctorTrace.lines(exchange, width: 80)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 80 } && lines.count > 8, "\(lines)")
        #expect(lines.filter { $0.hasPrefix("  > ") }.count == 1)
        #expect(DoctorTrace.lines(exchange).count == 4)
    }

    @Test func `the last column of a table goes on below, a long path too`() {
        let table = Table(header: ["TIME", "CLIENT"], shrinkOrder: [1], wrapsLast: true)
        let rows = [[Table.Cell("14:05"), Table.Cell("/opt/somewhere/far/away/bin/program mail.service")]]
        let lines = table.lines(rows, width: 30, palette: .plain)
        #expect(
            lines == [
                "TIME   CLIENT", "14:05  /opt/somewhere/far/", "       away/bin/program", "       mail.service",
            ]
        )
        #expect(table.lines(rows, width: .max, palette: .plain).count == 2)
    }
}
