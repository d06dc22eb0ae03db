// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import Testing

@Suite struct HTTPMessageTests {
    @Test func `a request describes itself by method, origin and path only`() throws {
        let request = HTTPRequest(
            method: .post,
            url: try WebURL("https://h.example/token?x=canary"),
            headers: ["Authorization": "Basic canary"],
            body: Secret("refresh_token=canary")
        )
        var dumped = ""
        dump(request, to: &dumped)
        #expect("\(request)" == "POST https://h.example/token")
        #expect(!dumped.contains("canary"))
        #expect(!String(reflecting: request).contains("canary"))
    }

    @Test func `an answer describes itself by status and size only`() {
        let response = HTTPResponse(status: 200, headers: ["X": "canary"], body: Array("canary".utf8))
        var dumped = ""
        dump(response, to: &dumped)
        #expect("\(response)" == "HTTP 200 (6 bytes)")
        #expect(!dumped.contains("canary"))
    }

    @Test(arguments: [
        ("application/json", "application/json"), ("Application/JSON; charset=utf-8", "application/json"),
        (" text/html ;x", "text/html"), ("", ""),
    ])
    func `the media type is told without its parameters`(value: String, type: String) {
        #expect(HTTPResponse(status: 200, headers: ["content-type": value]).mediaType == type)
        #expect(HTTPResponse(status: 200).mediaType == nil)
    }
}

@Suite struct DisplayTextTests {
    @Test func `plain text of any script stays`() {
        let text = "Zugriff verweigert – доступ запрещён, 拒否 (código 42)!"
        #expect(DisplayText.sanitized(text) == text)
    }

    @Test(arguments: [
        ("a\u{1B}[31mred\u{1B}[0mb", "aredb"), ("a\u{1B}]0;title\u{07}b", "ab"), ("a\u{1B}]8;;http://x\u{1B}\\b", "ab"),
        ("a\u{9B}2Jb", "ab"), ("a\u{9D}0;t\u{9C}b", "ab"), ("a\u{1B}Pq#0\u{1B}\\b", "ab"), ("a\u{1B}(Bb", "ab"),
        ("a\u{1B}cb", "ab"), ("a\u{1B}[1;\u{1B}[2mb", "ab"), ("a\u{1B}[", "a"), ("a\u{1B}", "a"),
        ("a\u{1B}[1\u{E9}b", "a\u{E9}b"), ("a\u{1B}]never ended", "a"),
    ])
    func `whole escape sequences go`(text: String, shown: String) {
        #expect(DisplayText.sanitized(text) == shown)
    }

    @Test(arguments: [0x00...0x08, 0x0E...0x1A, 0x1C...0x1C, 0x7F...0x84, 0x86...0x8F, 0x99...0x9A])
    func `control characters go`(range: ClosedRange<UInt32>) {
        for value in range {
            let scalar = Unicode.Scalar(value).map(String.init) ?? ""
            #expect(DisplayText.sanitized("a\(scalar)b") == "ab")
        }
    }

    @Test(arguments: [
        0x202A...0x202E, 0x2066...0x2069, 0x200B...0x200F, 0x061C...0x061C, 0x2060...0x2064, 0xFEFF...0xFEFF,
        0x00AD...0x00AD, 0x180E...0x180E, 0x3164...0x3164, 0xE0020...0xE007F, 0xFE00...0xFE0F, 0xE000...0xE001,
    ])
    func `what turns the direction, hides or has no width goes`(range: ClosedRange<UInt32>) {
        for value in range {
            let scalar = Unicode.Scalar(value).map(String.init) ?? ""
            #expect(DisplayText.sanitized("a\(scalar)b") == "ab")
        }
    }

    @Test func `it becomes one line with single spaces`() {
        #expect(DisplayText.sanitized(" a\r\n\tb\u{2028}c\u{2029}d\u{85}e\u{A0}\u{3000}f\n") == "a b c d e f")
    }

    @Test func `it is cut with a mark`() {
        #expect(DisplayText.sanitized("abcdef", limit: 6) == "abcdef")
        #expect(DisplayText.sanitized("abcdefg", limit: 6) == "abcde…")
        #expect(DisplayText.sanitized("abc   ", limit: 3) == "abc")
        #expect(DisplayText.sanitized("abc", limit: 0) == "")
        #expect(DisplayText.sanitized(String(repeating: "x", count: 500)).unicodeScalars.count == 200)
        let stacked = "a" + String(repeating: "\u{301}", count: 500)
        #expect(DisplayText.sanitized(stacked, limit: 20).unicodeScalars.count == 20)
    }

    @Test func `markup is left to escapeHTML`() {
        #expect(DisplayText.sanitized("<b>&'\"") == "<b>&'\"")
        #expect(
            escapeHTML("<a href='x' title=\"y\">&amp;</a>")
                == "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;&lt;/a&gt;"
        )
        #expect(escapeHTML("grüße €\u{301}") == "grüße €\u{301}")
    }
}
