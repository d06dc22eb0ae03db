// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing

/// Texts that take a long time to compare get no further than the reader.
@Suite struct MarkRunTests {
    private static let marks = [
        "\u{301}", "\u{316}", "\u{5BF}", "\u{F73}", "\u{F75}", "\u{F81}", "\u{344}", "\u{1D165}",
    ]

    @Test(arguments: [JSONReader.Dialect.json, .json5])
    func `a line with a longer run of combining marks than anyone writes is refused`(dialect: JSONReader.Dialect) {
        let reader = JSONReader(dialect: dialect)
        for mark in Self.marks {
            let longest = String(repeating: mark, count: MarkRun.longest)
            #expect(throws: Never.self) { try reader.read(#"{"a\#(longest)":"\#(longest) \#(longest)"}"#) }
            for text in [#"{"a\#(longest)\#(mark)":1}"#, #"["a\n\#(longest)\#(mark)"]"#] {
                let error = #expect(throws: JSONError.self) { try reader.read(text) }
                #expect(error?.code == .invalidString && error?.offset == 2)
            }
        }
    }

    @Test func `marks that are written as escapes, or in a bare name, count as well`() {
        let escapes = String(repeating: #"\u0301\u0316"#, count: 16)
        #expect(throws: JSONError.self) { try JSONReader().read(#"["\#(escapes)"]"#) }
        let bare = "{a" + String(repeating: "\u{301}\u{316}", count: 16) + ":1}"
        #expect(throws: JSONError.self) { try JSONReader(dialect: .json5).read(bare) }
    }

    @Test func `what people write stays as it is`() {
        for text in ["", "plain", "é", "e\u{301}", "שָׁלוֹם", "ปั่น", "👩\u{200D}👩\u{200D}👧", "한국어", "བཀྲ་ཤིས་"] {
            #expect(text.hasShortMarkRuns && text.withShortMarkRuns == text)
        }
    }
}
