// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing

@Suite struct TextSearchTests {
    @Test(arguments: [
        ("refresh token expired", "token", true), ("token", "token", true), ("toke", "token", false),
        ("totoken", "token", true), ("", "token", false), ("anything", "", true), ("grün", "ün", true),
        ("Token", "token", false),
    ])
    func `a text is found in another`(text: String, part: String, isThere: Bool) {
        #expect(text.contains(text: part) == isThere)
    }

    @Test func `the first place is found`() throws {
        let text = "socks5://a://b"
        let range = try #require(text.firstRange(ofText: "://"))
        #expect(text[..<range.lowerBound] == "socks5" && text[range.upperBound...] == "a://b")
        #expect("no mark".firstRange(ofText: "://") == nil)
    }

    @Test func `the last place is found`() throws {
        let text = "socks5://a://b"
        let range = try #require(text.lastRange(ofText: "://"))
        #expect(text[..<range.lowerBound] == "socks5://a" && text[range.upperBound...] == "b")
        #expect("no mark".lastRange(ofText: "://") == nil && "x".lastRange(ofText: "") == nil)
    }

    @Test(arguments: [
        ("a_b_c", "_", " ", "a b c"), ("a&&amp;", "&amp;", "&", "a&&"), ("aaa", "aa", "a", "aa"), ("x", "", "y", "x"),
        ("", "x", "y", ""), ("a_", "_", "", "a"),
    ])
    func `every place of a text is replaced, none of what came in`(
        text: String,
        part: String,
        other: String,
        result: String
    ) {
        #expect(text.replacing(text: part, with: other) == result)
    }
}
