// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing

/// What comes from outside is read by all of these; none of them may trap, whatever it is.
@Suite struct HostileTextTests {
    /// Pieces that parsers look for, in a random but repeatable order.
    private static func text(_ generator: inout SplitMix) -> String {
        let pieces = [
            "http", "s", "://", ":", "/", "?", "#", "@", "[", "]", "::1", "127.0.0.1", ".", "%", "%41", "%C3", "+", "&",
            "=", ",", " ", "\t", "\"", "\\", "Bearer", "realm", "GMT", "Sun", "06 Nov 1994 08:49:37", "-", "9",
            "99999999",
            "é", "\u{1B}", "[", "]", "m", "\u{9B}", "\u{202E}", "\u{0}", "\n", "\u{1F600}", "com.example.app",
        ]
        let count = Int.random(in: 0..<14, using: &generator)
        return (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }

    @Test func `no reader traps, and what is shown is one harmless line`() throws {
        var generator = SplitMix(state: 0x746F_6B65_6E64)
        for _ in 0..<20_000 {
            let text = Self.text(&generator)
            if let url = try? WebURL(text) {
                #expect(url.text == text)
                #expect(try WebURL(url.appendingQuery(["a": text]).text).query?.contains("a=") == true)
            }
            _ = HTTPDate.unixTime(text)
            _ = RetryAfter(text)?.wait(now: .min, cap: .seconds(1))
            _ = AuthenticationChallenge.parse([text])
            #expect(FormParameters.decode(FormParameters.encode(text)) != nil)
            let shown = DisplayText.sanitized(text, limit: 10)
            #expect(shown.unicodeScalars.count <= 10)
            #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        }
    }
}

/// A small random-number generator with a seed, so that a failure comes again.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
