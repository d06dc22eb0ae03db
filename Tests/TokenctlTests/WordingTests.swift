// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import tokenctl

@Suite struct WordingTests {
    @Test(
        arguments: [
            ("stauts", "status"), ("work", "work"), ("WROK", "work"), ("mial", "mail"), ("xyz", nil), ("wo", "work"),
        ] as [(String, String?)]
    )
    func `the nearest name is the one that was meant`(_ typed: String, _ meant: String?) {
        #expect(NearestName.of(typed, among: ["status", "work", "mail"]) == meant)
    }

    @Test(
        arguments: [
            (0, "now"), (-4, "now"), (-5, "5 s ago"), (1, "in 1 s"), (59, "in 59 s"), (60, "in 1 min"),
            (2579, "in 42 min"), (-300, "5 min ago"), (3600, "in 1 h"), (4800, "in 1 h 20 min"),
            (36000, "in 10 h"), (172_800, "in 2 days"), (8_640_000, "in 3 months"), (69_120_000, "in 2 years"),
        ] as [(Int64, String)]
    )
    func `times are said as people say them`(_ distance: Int64, _ phrase: String) {
        #expect(TimePhrase.relative(1_000_000 + distance, to: 1_000_000) == phrase)
    }

    @Test func `absurd times neither trap nor print absurd numbers`() {
        #expect(TimePhrase.relative(.max, to: -5) == "in a very long time")
        #expect(TimePhrase.relative(.min, to: 5) == "very long ago")
        #expect(TimePhrase.countdown(-3) == "0:00")
        #expect(TimePhrase.countdown(245) == "4:05")
    }

    @Test(
        arguments: [
            ("90", 90), ("90s", 90), ("10m", 600), ("2h", 7200), ("1d", 86400), ("", nil), ("m", nil), ("-1", nil),
            ("1.5h", nil), ("99999999999999999999", nil), ("9223372036854775807h", nil), ("٣", nil),
        ] as [(String, Int64?)]
    )
    func `times are read as people type them`(_ text: String, _ seconds: Int64?) {
        #expect(Seconds.parse(text) == seconds)
    }

    @Test func `outside text loses what steers a terminal`() {
        #expect(TerminalText.sanitized("a\u{1B}[31mb\r\n\u{9B}c\u{202E}d") == "a?[31mb??c?d")
        #expect(TerminalText.sanitized("Zoë 日本") == "Zoë 日本")
        #expect(TerminalText.sanitized(String(repeating: "x", count: 10), limit: 3) == "xxx…")
        #expect(TerminalText.escapedJSON("\"\u{9B}\u{202E}\u{E0041}é\"") == "\"\\u009b\\u202e\\udb40\\udc41é\"")
    }

    @Test func `widths count columns, not characters`() {
        #expect(DisplayWidth.of("日本") == 4)
        #expect(DisplayWidth.of("e\u{301}") == 1)
        #expect(DisplayWidth.cut("日本語", to: 5) == "日本…")
        #expect(DisplayWidth.wrap("one two three", width: 7) == ["one two", "three"])
        #expect(DisplayWidth.wrap("", width: 7) == [])
    }

    @Test func `a table shrinks the columns that may shrink`() {
        let table = Table(header: ["A", "B"], shrinkOrder: [1, 0])
        let rows = [[Table.Cell("name"), Table.Cell(String(repeating: "x", count: 100))]]
        let lines = table.lines(rows, width: 20, palette: .plain)
        #expect(lines == ["A     B", "name  " + String(repeating: "x", count: 13) + "…"])
    }

    @Test func `colour is for terminals that want it`() {
        func palette(_ environment: [String: String], terminal: Bool = true) -> Palette {
            TerminalTraits(
                inputIsTerminal: true,
                outputIsTerminal: terminal,
                errorIsTerminal: terminal,
                columns: nil,
                environment: environment
            ).outputPalette
        }
        #expect(palette(["LANG": "de_DE.UTF-8"]) == Palette(coloured: true, unicode: true))
        #expect(palette(["LANG": "de_DE.UTF-8", "LC_ALL": "C"]) == Palette(coloured: true, unicode: false))
        #expect(!palette(["NO_COLOR": "1"]).coloured)
        #expect(palette(["NO_COLOR": ""]).coloured)
        #expect(!palette(["TERM": "dumb"]).coloured)
        #expect(!palette([:], terminal: false).coloured)
    }
}
